// SPDX-License-Identifier: Apache-2.0
// Convolution of one tap of fp32's class by wgmma (sm_90a), in groups too: as kernels/conv/pointwise_wgmma.cuh has it,
// but that both operands are split in two TF32 parts, whose three larger products are summed up. Each thread splits the
// places that it has read; weights are split when they are arranged. A block's output channels are of one group, whose
// input channels alone it takes.
//
// The tensor cores cut off what their sums do not hold: a step's small products come first, and sums are promoted to
// fp32 every slice. Outputs with operands that two parts do not hold (infinities and NaN) are computed again in plain
// fp32.
#pragma once

#include "kernels/conv/pointwise_wgmma.cuh"

namespace stitch {

namespace pointwise_detail {

constexpr int kSliceSteps = kSlice / kStep;

// A turn is a step of one of two tiles of 64 places. A thread's four places of both input channels that it has of a
// step.
struct StepPlaces {
  float4 halves[2];

  // `stage`: as read_step() has it.
  template <typename Tile, typename InputMap>
  __device__ __forceinline__ void read(const float* stage, const MappedChannels<InputMap>& mapped, int step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int channel = step * kStep + half * 4;
      halves[half] = mapped(channel, *reinterpret_cast<const float4*>(stage + channel * Tile::places));
    }
  }
};

// One tile's operand of a step.
struct PlaceParts {
  uint32_t upper[4];
  uint32_t lower[4];

  template <int kTile>
  __device__ __forceinline__ void split(const StepPlaces& places) {
    float values[4];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float4& four = places.halves[half];
      values[half * 2] = kTile == 0 ? four.x : four.z;
      values[half * 2 + 1] = kTile == 0 ? four.y : four.w;
    }
    mma_detail::split_fragment(upper, lower, values);
  }
};

// Of tiles in registers: as there is room beside sums.
template <typename Tile>
constexpr int kPartBuffers = Tile::channels > 64 ? 2 : 4;

// Whether a group's last slice may have fewer steps than the others: where products may end at several places, all
// parts of a slice have registers of their own. A map needs some, too.
template <typename Tile, typename InputMap>
constexpr bool kEndsEarly = Tile::channels <= (std::is_same_v<InputMap, AsStored> ? 64 : 40);

template <typename Tile>
using PartBuffers = PlaceParts[kPartBuffers<Tile>];

// `weights` names the upper parts of a step. kIsFirst: of a slice.
template <typename Tile, bool kIsFirst>
__device__ __forceinline__ void issue_products(float (&sums)[Tile::sums], const PlaceParts& parts, uint64_t weights) {
  constexpr uint64_t kLower = Tile::channels * kRowBytes / 16;  // further, in descriptors' addresses
  ptx::wgmma_fence();
  multiply_step<Tile>(sums, parts.lower, weights, !kIsFirst);
  multiply_step<Tile>(sums, parts.upper, weights + kLower);
  multiply_step<Tile>(sums, parts.upper, weights);
  ptx::wgmma_commit();
}

// All products of a slice of so many steps or more, whose first one's places are read. While the tensor cores multiply
// some turns, the next one's parts are made.
template <typename Tile, int kTurn = 0, typename InputMap>
__device__ __forceinline__ void multiply_turns(TileSums<Tile>& sums, int steps, const float* stage,
                                               const MappedChannels<InputMap>& mapped, uint64_t weights,
                                               StepPlaces& places, PartBuffers<Tile>& parts) {
  constexpr int kOfSlice = kTurn / 2, kTile = kTurn % 2;
  constexpr uint64_t kStepUnits = kStep * sizeof(float) / 16;  // of addresses in descriptors
  PlaceParts& own = parts[kTurn % kPartBuffers<Tile>];
  own.template split<kTile>(places);
  issue_products<Tile, kOfSlice == 0>(sums[kTile], own, weights + kOfSlice * kStepUnits);
  if constexpr (kTurn + 1 < 2 * kSliceSteps) {
    if (kTile == 0 || !kEndsEarly<Tile, InputMap> || kOfSlice + 1 < steps) {
      if constexpr (kTile == 1) {
        places.read<Tile>(stage, mapped, kOfSlice + 1);
      }
      ptx::wgmma_wait<kPartBuffers<Tile> - 1>();  // the next turn's registers may change
      multiply_turns<Tile, kTurn + 1>(sums, steps, stage, mapped, weights, places, parts);
    }
  }
}

template <int kCount>
__device__ __forceinline__ void promote(float (&sums)[kCount], float (&promoted)[kCount]) {
  ptx::wgmma_pin(sums);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    promoted[i] += sums[i];
  }
}

// Sums up all slices of a unit, `steps` in all. `mapped` begins with its first slice.
template <typename Tile, typename InputMap>
__device__ __forceinline__ void multiply_parts(const Ring<Tile>& ring, int steps, int own_place,
                                               MappedChannels<InputMap> mapped, RingPlace& at,
                                               TileSums<Tile>& promoted) {
  TileSums<Tile> sums;
  PartBuffers<Tile> parts;
  StepPlaces places;
  ring.wait_until_full(at);
  places.read<Tile>(ring.input_of(at.stage) + own_place, mapped, 0);
#pragma unroll 1
  for (int slice = 0; slice * kSliceSteps < steps; ++slice) {
    const int stage = at.stage;
    ptx::wgmma_forget(sums[0]);
    ptx::wgmma_forget(sums[1]);
    multiply_turns<Tile>(sums, steps - slice * kSliceSteps, ring.input_of(stage) + own_place, mapped,
                         ptx::wgmma_operand(ring.weights_of(ring.memory.has_all_weights ? slice : stage)), places,
                         parts);
    at.next(ring.memory);
    mapped.first += kSlice;
    if ((slice + 1) * kSliceSteps < steps) {
      ring.wait_until_full(at);
      places.read<Tile>(ring.input_of(at.stage) + own_place, mapped, 0);
    }
    ptx::wgmma_wait<1>();
    promote(sums[0], promoted[0]);
    ptx::wgmma_wait<0>();
    ring.release(stage);
    promote(sums[1], promoted[1]);
  }
}

// What finishes the outputs of a block of channels: those of its group alone.
template <typename Epilogue, typename InputMap>
__device__ __forceinline__ Finish<Epilogue, InputMap> finish_of_block(const Finish<Epilogue, InputMap>& finish,
                                                                      const PointwiseSteps& steps, uint32_t block,
                                                                      int out_channels) {
  Finish<Epilogue, InputMap> own = finish;
  own.input = input_of_block(steps, finish.input, block);
  own.first_input = static_cast<int>(block / steps.blocks_of_group) * steps.in_channels;
  own.out_channels = static_cast<int>(block / steps.blocks_of_group + 1) * out_channels;
  return own;
}

// finish.out_channels: of a group.
template <typename Tile, typename Epilogue, typename InputMap>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks)
    pointwise_tf32x3_kernel(Finish<Epilogue, InputMap> finish, const unsigned char* arranged, Memory<Tile> memory,
                            PointwiseSteps steps) {
#ifdef STITCH_HAS_WGMMA
  static_assert(Tile::parts == 2 && Tile::channels <= 80, "registers hold sums of that many channels twice");
  extern __shared__ __align__(1024) unsigned char pointwise_tf32x3_shared[];
  constexpr int kBringRegisters = 40, kMultiplyRegisters = Tile::groups == 1 ? 216 : 232;
  const Ring<Tile> ring(pointwise_tf32x3_shared, memory);
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
#pragma unroll 1
    for (uint32_t unit = blockIdx.x; unit < steps.units; unit += gridDim.x) {
      TileSums<Tile> sums = {};
      const uint32_t block = unit % steps.blocks_of_channels;
      const Finish<Epilogue, InputMap> own = finish_of_block(finish, steps, block, finish.out_channels);
      const MappedChannels<InputMap> mapped{finish.map, own.first_input + lane % 4,
                                            own.first_input + steps.in_channels};
      multiply_parts<Tile>(ring, ceil_divide(steps.in_channels, kStep), own_place, mapped, at, sums);
      const uint32_t block_of_group = block % steps.blocks_of_group;
      const int first_channel =
          own.out_channels - finish.out_channels + static_cast<int>(block_of_group) * Tile::channels;
      finish_tile<Tile>(own, steps, unit / steps.blocks_of_channels * Tile::places, first_channel, sums);
    }
  }
#endif
}

}  // namespace pointwise_detail

// As launch_conv_kept_pointwise_wgmma(), of any groups; Tile has two parts.
template <typename Tile, typename Epilogue, typename InputMap = AsStored>
cudaError_t launch_conv_kept_pointwise_tf32x3(const ConvShape& shape, const float* input, const float* weight,
                                              const Epilogue& epilogue, bool vectorised, const void* arranged,
                                              cudaStream_t stream, const InputMap& map = {}) {
  using namespace pointwise_detail;
  if (shape.in_channels == 0) {
    return cudaErrorInvalidValue;
  }
  const PointwiseSteps steps = pointwise_steps<Tile>(shape, input);
  if (steps.units == 0) {
    return cudaSuccess;
  }
  const Memory<Tile> memory(steps.slices);
  const auto kernel = pointwise_tf32x3_kernel<Tile, Epilogue, InputMap>;
  const cudaError_t error = allow_shared_memory(kernel, memory.bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const Finish<Epilogue, InputMap> finish{input,
                                          weight,
                                          map,
                                          epilogue,
                                          static_cast<int>(shape.out_channels / shape.groups),
                                          vectorised && steps.pixels % kLanes == 0};
  kernel<<<pointwise_blocks(steps, memory), Tile::threads, memory.bytes, stream>>>(
      finish, static_cast<const unsigned char*>(arranged), memory, steps);
  return cudaGetLastError();
}

// The same of weights that only this call has: they are arranged in `scratch` first.
template <typename Tile, typename Epilogue>
cudaError_t launch_conv_pointwise_tf32x3(const ConvShape& shape, const float* input, const float* weight,
                                         const Epilogue& epilogue, bool vectorised, void* scratch,
                                         cudaStream_t stream) {
  const cudaError_t error = launch_arrange_pointwise<Tile>(shape, weight, scratch, stream);
  return error != cudaSuccess
             ? error
             : launch_conv_kept_pointwise_tf32x3<Tile>(shape, input, weight, epilogue, vectorised, scratch, stream);
}

}  // namespace stitch
