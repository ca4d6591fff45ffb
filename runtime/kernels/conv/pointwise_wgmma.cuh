// SPDX-License-Identifier: Apache-2.0
// Convolution of one tap by wgmma (sm_90a), one TF32 product: a block takes slices of 32 input channels of 128 or 256
// places into a ring in shared memory, a place's elements beside those of its neighbours as they lie in memory; each
// thread reads four neighbouring places of a channel at once, rounds them, and hands them to the tensor cores in
// registers, where no operand has an order in shared memory. Weights, which the tensor cores read from there, are
// arranged by a launch before; a block keeps them where there is room, and else takes them slice by slice.
//
// Rows of a product are numbered so that a thread's sums are four neighbouring places of a channel, too, and a warp's
// 32: they are stored from registers.
#pragma once

#include "kernels/conv/input_map.cuh"
#include "kernels/conv/pointwise.cuh"
#include "ptx/warpgroup.cuh"
#include "ptx/wgmma.cuh"

namespace stitch {

namespace pointwise_detail {

// What the epilogue takes, and what computes an output again.
template <typename Epilogue, typename InputMap>
struct Finish {
  const float* input;
  const float* weight;
  InputMap map;
  Epilogue epilogue;
  int out_channels;
  bool by_four;         // four neighbouring places are stored together
  int first_input = 0;  // channel that `input` begins with
};

// The weights that a block keeps, by one thread.
template <typename Tile>
__device__ __forceinline__ void bring_kept_weights(const Ring<Tile>& ring, const PointwiseSteps& steps,
                                                   const unsigned char* arranged) {
  constexpr int kBytes = Memory<Tile>::weight_bytes;
  const unsigned char* from =
      arranged + static_cast<int64_t>(blockIdx.x % steps.blocks_of_channels) * steps.slices * kBytes;
  ptx::mbarrier_arrive_expecting(ring.kept(), static_cast<uint32_t>(steps.slices * kBytes));
  for (int slice = 0; slice < steps.slices; ++slice) {
    ptx::bulk_copy(ring.weights_of(slice), from, kBytes, ring.kept());
    from += kBytes;
  }
}

// A block's slices of a unit. `weights`: of the unit's first slice.
template <typename Tile>
__device__ __forceinline__ void bring_unit(const Ring<Tile>& ring, const PointwiseSteps& steps, const SliceRange& range,
                                           const float* input, uint32_t first_place, const unsigned char* weights,
                                           RingPlace& at) {
  constexpr int kBytes = Memory<Tile>::weight_bytes;
  constexpr int kPieces = Tile::places / kLanes;
  const int thread = static_cast<int>(threadIdx.x) - Tile::multipliers;
  const int row = steps.by_four ? thread / kPieces : 0;
  const uint32_t place = first_place + static_cast<uint32_t>(steps.by_four ? thread % kPieces * kLanes : thread);
  const int first_channel = range.first * kSlice + row;
  const float* own = place_in_input(steps, input, place) + static_cast<int64_t>(first_channel) * steps.pixels;
  int left = place < steps.places ? steps.in_channels - first_channel : 0;
#pragma unroll 1
  for (int slice = range.first; slice < range.first + range.count; ++slice) {
    ring.wait_until_empty(at);
    uint64_t* const full = ring.full(at.stage);
    float* const stage = ring.input_of(at.stage);
    if (thread == 0) {
      if (ring.memory.has_all_weights) {
        ptx::mbarrier_arrive(full);
      } else {
        ptx::mbarrier_arrive_expecting(full, kBytes);
        ptx::bulk_copy(ring.weights_of(at.stage), weights + slice * int64_t{kBytes}, kBytes, full);
      }
    }
    if (steps.by_four) {
      bring_pieces<Tile>(own, steps.pixels, left, stage);
    } else {
      bring_places<Tile>(own, steps.pixels, left, thread, stage);
      if constexpr (Tile::groups == 2) {
        const uint32_t second = place + Tile::bringers;
        bring_places<Tile>(place_in_input(steps, input, second) + static_cast<int64_t>(slice * kSlice) * steps.pixels,
                           steps.pixels, second < steps.places ? steps.in_channels - slice * kSlice : 0,
                           thread + Tile::bringers, stage);
      }
    }
    ptx::cp_async_arrive(full);
    own += static_cast<int64_t>(kSlice) * steps.pixels;
    left -= kSlice;
    at.next(ring.memory);
  }
}

// One of the block's warpgroups brings slices of the input, and weights.
template <typename Tile>
__device__ __forceinline__ void bring(const Ring<Tile>& ring, const PointwiseSteps& steps, const float* input,
                                      const unsigned char* arranged) {
  if (ring.memory.has_all_weights && threadIdx.x == Tile::multipliers) {
    bring_kept_weights<Tile>(ring, steps, arranged);
  }
  RingPlace at;
#pragma unroll 1
  for (uint32_t unit = blockIdx.x; unit < steps.units; unit += gridDim.x) {
    const uint32_t block = unit % steps.blocks_of_channels;
    const unsigned char* const weights =
        arranged + static_cast<int64_t>(block) * steps.slices * Memory<Tile>::weight_bytes;
    bring_unit<Tile>(ring, steps, {0, steps.slices}, input_of_block(steps, input, block),
                     unit / steps.blocks_of_channels * Tile::places, weights, at);
  }
}

template <typename Tile>
__device__ __forceinline__ void multiply_step(float (&sums)[Tile::sums], const uint32_t (&a)[4], uint64_t b,
                                              bool accumulate = true) {
  if constexpr (Tile::channels == 16) {
    ptx::wgmma_m64n16k8_tf32(sums, a, b, accumulate);
  } else if constexpr (Tile::channels == 32) {
    ptx::wgmma_m64n32k8_tf32(sums, a, b, accumulate);
  } else if constexpr (Tile::channels == 40) {
    ptx::wgmma_m64n40k8_tf32(sums, a, b, accumulate);
  } else if constexpr (Tile::channels == 64) {
    ptx::wgmma_m64n64k8_tf32(sums, a, b, accumulate);
  } else if constexpr (Tile::channels == 80) {
    ptx::wgmma_m64n80k8_tf32(sums, a, b, accumulate);
  } else if constexpr (Tile::channels == 96) {
    ptx::wgmma_m64n96k8_tf32(sums, a, b, accumulate);
  } else if constexpr (Tile::channels == 128) {
    ptx::wgmma_m64n128k8_tf32(sums, a, b, accumulate);
  } else {
    static_assert(Tile::channels == 192);
    ptx::wgmma_m64n192k8_tf32(sums, a, b, accumulate);
  }
}

// The operand of two tiles of 64 places: of tile i the thread's places 2 i and 2 i + 1 are rows g and g + 8.
using Fragments = uint32_t[2][4];

// The input channels of a slice that a thread reads: every fourth from its first one on.
template <typename InputMap>
struct MappedChannels {
  const InputMap& map;
  int first;  // of the thread, of the slice
  int channels;

  __device__ __forceinline__ float4 operator()(int behind_first, const float4& values) const {
    return input_map_detail::map_four(map, first + behind_first, channels, values, [](int) { return true; });
  }
};

// `stage`: this thread's places of its first input channel. The second channel is four further.
template <typename Tile, typename InputMap>
__device__ __forceinline__ void read_step(const float* stage, const MappedChannels<InputMap>& mapped, int step,
                                          Fragments& fragments) {
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int channel = step * kStep + half * 4;
    const float4 places = mapped(channel, *reinterpret_cast<const float4*>(stage + channel * Tile::places));
    fragments[0][half * 2] = mma_detail::rounded_tf32(places.x);
    fragments[0][half * 2 + 1] = mma_detail::rounded_tf32(places.y);
    fragments[1][half * 2] = mma_detail::rounded_tf32(places.z);
    fragments[1][half * 2 + 1] = mma_detail::rounded_tf32(places.w);
  }
}

template <typename Tile>
using TileSums = float[2][Tile::sums];

// Both tiles of a step, each a group of its own: the compiler may part them anyway.
template <typename Tile>
__device__ __forceinline__ void issue_step(TileSums<Tile>& sums, const Fragments& fragments, uint64_t weights) {
  ptx::wgmma_fence();
  multiply_step<Tile>(sums[0], fragments[0], weights);
  ptx::wgmma_commit();
  multiply_step<Tile>(sums[1], fragments[1], weights);
  ptx::wgmma_commit();
}

// Sums up all slices of a unit. While the tensor cores multiply some steps, the next one's places are read. `mapped`
// begins with the unit's first slice.
template <typename Tile, typename InputMap>
__device__ __forceinline__ void multiply_unit(const Ring<Tile>& ring, int slices, int own_place,
                                              MappedChannels<InputMap> mapped, RingPlace& at, TileSums<Tile>& sums) {
  constexpr int kSteps = kSlice / kStep;
  constexpr int kBuffers = Tile::channels > 128 ? 2 : 4;  // of places in registers: as there is room beside sums
  static_assert(kSteps % kBuffers == 0, "which registers a step takes is known");
  constexpr int kPending = 2 * (kBuffers - 1);                 // tiles that do not read what is written over
  constexpr uint64_t kStepUnits = kStep * sizeof(float) / 16;  // of addresses in descriptors
  Fragments fragments[kBuffers];
  ring.wait_until_full(at);
  read_step<Tile>(ring.input_of(at.stage) + own_place, mapped, 0, fragments[0]);
  int before = at.stage;
#pragma unroll 1
  for (int slice = 0; slice < slices; ++slice) {
    const float* const stage = ring.input_of(at.stage) + own_place;
    const uint64_t weights = ptx::wgmma_operand(ring.weights_of(ring.memory.has_all_weights ? slice : at.stage));
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      issue_step<Tile>(sums, fragments[step % kBuffers], weights + step * kStepUnits);
      ptx::wgmma_wait<kPending>();
      if (step + 1 < kSteps) {
        read_step<Tile>(stage, mapped, step + 1, fragments[(step + 1) % kBuffers]);
      }
      if (step == kBuffers - 2 && slice > 0) {
        ring.release(before);
      }
    }
    before = at.stage;
    at.next(ring.memory);
    mapped.first += kSlice;
    if (slice + 1 < slices) {
      ring.wait_until_full(at);
      read_step<Tile>(ring.input_of(at.stage) + own_place, mapped, 0, fragments[0]);
    }
  }
  ptx::wgmma_wait<0>();
  ring.release(before);
  ptx::wgmma_pin(sums[0]);
  ptx::wgmma_pin(sums[1]);
}

template <typename Tile>
__device__ __forceinline__ bool are_all_finite(const TileSums<Tile>& sums) {
  float probe = 0;  // 0, or NaN
#pragma unroll
  for (int i = 0; i < 2 * Tile::sums; ++i) {
    probe = fmaf(sums[i / Tile::sums][i % Tile::sums], 0.0f, probe);
  }
  return probe == 0;
}

// All outputs of a warp, whose first place this is, by plain fp32 arithmetic: rounding an infinity made NaN, or may
// have.
template <typename Tile, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_again(const Finish<Epilogue, InputMap>& finish, const PointwiseSteps& steps,
                                             uint32_t first_place, int first_channel) {
  const uint32_t place = first_place + threadIdx.x % kWarpThreads;
  if (place >= steps.places) {
    return;
  }
  const uint32_t image = place / steps.pixels;
  const float* const column = place_in_input(steps, finish.input, place);
#pragma unroll 1
  for (int i = 0; i < Tile::channels && first_channel + i < finish.out_channels; ++i) {
    const float* const weight = finish.weight + static_cast<int64_t>(first_channel + i) * steps.in_channels;
    float sum = 0;
#pragma unroll 1
    for (int k = 0; k < steps.in_channels; ++k) {
      sum = fmaf(finish.map(finish.first_input + k, column[static_cast<int64_t>(k) * steps.pixels]), weight[k], sum);
    }
    finish.epilogue(image, first_channel + i, place - image * steps.pixels, sum);
  }
}

// A thread's places of a channel, element e of its pair, from tile j of eight.
template <typename Tile>
__device__ __forceinline__ Lanes<float, kLanes> places_of(const TileSums<Tile>& sums, int j, int e) {
  return {sums[0][j * 4 + e], sums[0][j * 4 + 2 + e], sums[1][j * 4 + e], sums[1][j * 4 + 2 + e]};
}

// `first_place`: this thread's, a multiple of four; all four are of one image.
template <typename Tile, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_by_four(const Finish<Epilogue, InputMap>& finish, const PointwiseSteps& steps,
                                               uint32_t first_place, int first_channel, const TileSums<Tile>& sums) {
  if constexpr (requires { finish.epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{}); }) {
    if (first_place >= steps.places) {
      return;
    }
    const uint32_t image = first_place / steps.pixels;
    const uint32_t pixel = first_place - image * steps.pixels;
    const int own = first_channel + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
    for (int j = 0; j < Tile::channels / 8; ++j) {
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        if (own + j * 8 + e < finish.out_channels) {
          finish.epilogue.template lanes<kLanes>(image, own + j * 8 + e, pixel, places_of<Tile>(sums, j, e));
        }
      }
    }
  }
}

// Place by place, eight channels a turn, whose sums the next ones' take the place of: less code than all of them.
template <typename Tile, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_one_by_one(const Finish<Epilogue, InputMap>& finish, const PointwiseSteps& steps,
                                                  uint32_t first_place, int first_channel, TileSums<Tile>& sums) {
  const int own = first_channel + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll 1
  for (int j = 0; j < Tile::channels / 8; ++j) {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      const uint32_t place = first_place + lane;
      const uint32_t image = place / steps.pixels;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        if (place < steps.places && own + j * 8 + e < finish.out_channels) {
          finish.epilogue(image, own + j * 8 + e, place - image * steps.pixels, places_of<Tile>(sums, 0, e)[lane]);
        }
      }
    }
#pragma unroll
    for (int i = 0; i + 4 < Tile::sums; ++i) {
      sums[0][i] = sums[0][i + 4];
      sums[1][i] = sums[1][i + 4];
    }
  }
}

// `first_place`: of the block's tile.
template <typename Tile, typename Epilogue, typename InputMap>
__device__ __forceinline__ void finish_tile(const Finish<Epilogue, InputMap>& finish, const PointwiseSteps& steps,
                                            uint32_t first_place, int first_channel, TileSums<Tile>& sums) {
  const uint32_t warp_place = first_place + threadIdx.x / kWarpThreads * (8 * kLanes);
  const uint32_t place = warp_place + threadIdx.x % kWarpThreads / 4 * kLanes;
  if (!__all_sync(kFullWarp, are_all_finite<Tile>(sums))) {
    finish_again<Tile>(finish, steps, warp_place, first_channel);
  } else if (finish.by_four) {
    finish_by_four<Tile>(finish, steps, place, first_channel, sums);
  } else {
    finish_one_by_one<Tile>(finish, steps, place, first_channel, sums);
  }
}

template <typename Tile, typename Epilogue, typename InputMap>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    pointwise_wgmma_kernel(Finish<Epilogue, InputMap> finish, const unsigned char* arranged, Memory<Tile> memory,
                           PointwiseSteps steps) {
#ifdef STITCH_HAS_WGMMA
  extern __shared__ __align__(1024) unsigned char pointwise_shared[];
  constexpr bool kIsWide = Tile::channels > 128;
  constexpr int kBringRegisters = kIsWide ? 24 : 40,
                kMultiplyRegisters = Tile::groups == 1 ? 216 : (kIsWide ? 240 : 232);
  const Ring<Tile> ring(pointwise_shared, memory);
  ring.init();
  if (threadIdx.x >= Tile::multipliers) {
    ptx::hand_back_registers<kBringRegisters>();
    bring<Tile>(ring, steps, finish.input, arranged);
  } else {
    ptx::take_registers<kMultiplyRegisters>();
    const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int own_place = piece_of<Tile>(lane % 4, warp * 8 + lane / 4) * kLanes;
    RingPlace at;
    if (memory.has_all_weights) {
      ptx::mbarrier_wait(ring.kept(), 0);
    }
    for (uint32_t unit = blockIdx.x; unit < steps.units; unit += gridDim.x) {
      TileSums<Tile> sums = {};
      multiply_unit<Tile>(ring, steps.slices, own_place,
                          MappedChannels<InputMap>{finish.map, lane % 4, steps.in_channels}, at, sums);
      finish_tile<Tile>(finish, steps, unit / steps.blocks_of_channels * Tile::places,
                        static_cast<int>(unit % steps.blocks_of_channels) * Tile::channels, sums);
    }
  }
#endif
}

template <typename Tile>
__host__ PointwiseSteps pointwise_steps(const ConvShape& shape, const float* input) {
  const WeightBlocks weights(shape, Tile::channels);
  const int64_t pixels = shape.depth * shape.height * shape.width;
  const int64_t places = shape.batch * pixels;
  return {static_cast<uint32_t>(places),
          static_cast<uint32_t>(ceil_divide(places, Tile::places) * weights.blocks),
          static_cast<uint32_t>(weights.blocks),
          static_cast<uint32_t>(pixels),
          static_cast<int>(weights.in_channels),
          static_cast<int>(weights.slices),
          pixels % kLanes == 0 && reinterpret_cast<uintptr_t>(input) % 16 == 0,
          static_cast<int>(shape.in_channels),
          static_cast<uint32_t>(weights.blocks_of_group)};
}

template <typename Tile>
__host__ unsigned pointwise_blocks(const PointwiseSteps& steps, const Memory<Tile>& memory) {
  constexpr int64_t kBlocksAtOnce = 132 * Tile::blocks;  // of an H200
  const int64_t of_channels = steps.blocks_of_channels;
  // A block that keeps its weights has units of the same output channels.
  const int64_t most = memory.has_all_weights && of_channels < kBlocksAtOnce
                           ? kBlocksAtOnce / of_channels * of_channels
                           : (memory.has_all_weights ? of_channels : kBlocksAtOnce);
  return static_cast<unsigned>(steps.units < most ? steps.units : most);
}

}  // namespace pointwise_detail

// Weights in the order in which the tensor cores read them: WeightBlocks' bytes at `arranged`.
template <typename Tile>
cudaError_t launch_arrange_pointwise(const ConvShape& shape, const float* weight, void* arranged, cudaStream_t stream) {
  using namespace pointwise_detail;
  constexpr int kThreads = 128;
  const WeightBlocks weights(shape, Tile::channels);
  const int64_t count = weights.bytes(Tile::channels, Tile::parts) / int64_t{sizeof(uint4)};
  if (count == 0) {
    return cudaSuccess;
  }
  arrange_weights_kernel<Tile><<<static_cast<unsigned>(ceil_divide(count, kThreads)), kThreads, 0, stream>>>(
      weight, weights, static_cast<uint4*>(arranged), count);
  return cudaGetLastError();
}

// epilogue: void operator()(int64_t image, int64_t channel, int64_t pixel, float accumulator) const, pixels of a plane
// numbered along its rows; and lanes<4>(image, channel, pixel, accumulators) where `vectorised`, which is proved for
// every fourth pixel. Needs a window of one tap, stride one and no padding, and shape.groups == 1; sm_90a. `arranged`:
// the weights, by launch_arrange_pointwise(). map: float operator()(int64_t channel, float value) const, for each
// element of the input.
template <typename Tile, typename Epilogue, typename InputMap = AsStored>
cudaError_t launch_conv_kept_pointwise_wgmma(const ConvShape& shape, const float* input, const float* weight,
                                             const Epilogue& epilogue, bool vectorised, const void* arranged,
                                             cudaStream_t stream, const InputMap& map = {}) {
  using namespace pointwise_detail;
  if (shape.groups != 1 || shape.in_channels == 0) {
    return cudaErrorInvalidValue;
  }
  const PointwiseSteps steps = pointwise_steps<Tile>(shape, input);
  if (steps.units == 0) {
    return cudaSuccess;
  }
  const Memory<Tile> memory(steps.slices);
  const auto kernel = pointwise_wgmma_kernel<Tile, Epilogue, InputMap>;
  const cudaError_t error = allow_shared_memory(kernel, memory.bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const unsigned blocks = pointwise_blocks(steps, memory);
  const Finish<Epilogue, InputMap> finish{
      input, weight, map, epilogue, static_cast<int>(shape.out_channels), vectorised && steps.pixels % kLanes == 0};
  kernel<<<blocks, Tile::threads, memory.bytes, stream>>>(finish, static_cast<const unsigned char*>(arranged), memory,
                                                          steps);
  return cudaGetLastError();
}

// The same of weights that only this call has: they are arranged in `scratch` first.
template <typename Tile, typename Epilogue>
cudaError_t launch_conv_pointwise_wgmma(const ConvShape& shape, const float* input, const float* weight,
                                        const Epilogue& epilogue, bool vectorised, void* scratch, cudaStream_t stream) {
  if (shape.groups != 1) {
    return cudaErrorInvalidValue;
  }
  const cudaError_t error = launch_arrange_pointwise<Tile>(shape, weight, scratch, stream);
  return error != cudaSuccess
             ? error
             : launch_conv_kept_pointwise_wgmma<Tile>(shape, input, weight, epilogue, vectorised, scratch, stream);
}

}  // namespace stitch
