// SPDX-License-Identifier: Apache-2.0
// Direct convolution of at most eight input channels by wgmma (sm_90a), fp32 class by three TF32 products. As in
// direct_mma.cuh a block keeps the taps of 32 or 64 output channels in shared memory and takes patch after patch of the
// input there; a warpgroup multiplies the windows of 64 pixels with all of them. Taps are the operand that the tensor
// cores read from shared memory themselves, split once a block; a patch is split once when it has come, and read by
// each tap as pairs of its two parts. A slice of eight of K is one tap of eight input channels.
//
// The products of small parts come first, all of them, and the large ones last: the accumulation of the tensor cores,
// which cuts off, does so at the size of the result no more often than there are slices.
#pragma once

#include "kernels/conv/direct_mma.cuh"
#include "ptx/wgmma.cuh"

namespace stitch {

// Output channels of a block: 32 or 64.
template <int kChannels>
struct DirectWgmmaTile {
  static constexpr int channels = kChannels;
  static constexpr int sums = kChannels / 2;  // of a thread: two pixels of a fourth of the channels
};

namespace direct_wgmma_detail {

using direct_mma_detail::Place;

template <typename Tile>
using TileSums = float[Tile::sums];

constexpr int kThreads = 256;
constexpr int kBlocksOfMultiprocessor = 2;
constexpr int kWarps = kThreads / 32;
constexpr int kGroups = kThreads / 128;  // of warps
constexpr int kInputChannels = 8;        // one warp brings each
constexpr int kRows = 8;                 // of pixels, a patch's
constexpr int kColumns = 32;
constexpr int kPatches = 16;      // that a block takes one after the other
constexpr int kWarpColumns = 16;  // of the pixels that a warp has at a time, all of one row
constexpr int kTiles = kRows * kColumns / 64;
constexpr int kMostSlices = 9;  // between promotions, whose large parts are in registers
constexpr int kSlicesOfBlock = 4;
constexpr int kSlicesAtOnce = 1;  // whose small parts are in registers, and as many before them
template <typename Tile>
inline constexpr int kBlockFloats = Tile::channels * kSlicesOfBlock * kInputChannels;
static_assert(kWarps == kInputChannels);

template <typename Tile, typename Window>
struct Stage {
  static constexpr int rows = depthwise_detail::kRowsUnder<Window, kRows>;
  static constexpr int width = (kColumns - 1) * Window::stride_x + (Window::kernel_x - 1) * Window::dilation_x + 1;
  static constexpr int elements = rows * width;  // of one input channel
  // Of four channels every second of eight pixels, in pairs of parts, lie in 32 different banks.
  static constexpr int plane = (elements + 14) / 16 * 16 + 1;
  static constexpr int two_planes = (2 * plane + 7) / 16 * 16 + 8;
  static constexpr int slices = Window::kernel_y * Window::kernel_x;
  static constexpr int groups = (slices + kMostSlices - 1) / kMostSlices;
  static constexpr int slices_of_group = (slices + groups - 1) / groups;
  static constexpr int blocks = (slices + kSlicesOfBlock - 1) / kSlicesOfBlock;  // of a part of the weights
  static constexpr int weights = 2 * blocks * kBlockFloats<Tile>;
  static constexpr int raw = kInputChannels / 2 * two_planes;
  static constexpr int split = 2 * raw;
  static constexpr int shared_bytes = (weights + raw + 2 * split) * static_cast<int>(sizeof(float));
};

template <typename Tile, typename Window>
__device__ __forceinline__ int plane_offset(int channel) {
  return channel / 2 * Stage<Tile, Window>::two_planes + channel % 2 * Stage<Tile, Window>::plane;
}

// Patches of an image: so many below and beside each other, and blocks that share them.
struct Patches {
  int down;
  int across;
  int blocks;
};

// Splits the taps of the block's channels into two parts, each in blocks of rows of 32 along K as wgmma_operand() says.
template <typename Tile, typename Window>
__device__ __forceinline__ void load_weights(const ConvShape& shape, const float* weight, int first_channel,
                                             float* weights) {
  using Source = Stage<Tile, Window>;
  constexpr int kDepth = Source::slices * kInputChannels;
  const auto channels = static_cast<int>(shape.out_channels) - first_channel;
  const auto input_channels = static_cast<int>(shape.in_channels);
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < Tile::channels * kDepth; i += kThreads) {
    const int channel = i / kDepth;
    const int k = i % kDepth;
    const int input_channel = k % kInputChannels;
    const int tap = k / kInputChannels;
    float value[1] = {0};
    if (channel < channels && input_channel < input_channels) {
      value[0] = weight[((first_channel + channel) * shape.in_channels + input_channel) * Window::taps + tap];
    }
    uint32_t upper[1];
    uint32_t lower[1];
    mma_detail::split_fragment(upper, lower, value);
    float* const at = weights + k / 32 * kBlockFloats<Tile> + channel * 32 + ((k % 32 / 4 ^ channel % 8) * 4 + k % 4);
    at[0] = __uint_as_float(upper[0]);
    at[Source::blocks * kBlockFloats<Tile>] = __uint_as_float(lower[0]);
  }
}

// A warp brings its input channel of a patch.
template <typename Tile, typename Window>
__device__ __forceinline__ void load_plane(const ConvShape& shape, const Planes& planes, const float* input,
                                           const Place& place, float* plane) {
  using Source = Stage<Tile, Window>;
  const int channel = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_y = place.y * Window::stride_y - Window::padding_y;
  const int first_x = place.x * Window::stride_x - Window::padding_x;
  const bool is_channel = channel < shape.in_channels;
  const float* const first = input + (place.image * shape.in_channels + channel) * planes.plane_stride;
  const int64_t width = planes.width;
#pragma unroll
  for (int column = 0; column < Source::width; column += 32) {
    const int x = column + lane;
    const bool is_inside = is_channel && static_cast<unsigned>(first_x + x) < static_cast<unsigned>(planes.width);
    if (column + 32 <= Source::width || x < Source::width) {
      // Where nothing is there nothing is read.
      const float* from = first + first_y * width + first_x + x;
#pragma unroll
      for (int row = 0; row < Source::rows; ++row) {
        const bool is_row = static_cast<unsigned>(first_y + row) < static_cast<unsigned>(planes.height);
        ptx::cp_async_4_or_zero(plane + row * Source::width + x, from, is_inside && is_row);
        from += width;
      }
    }
  }
}

// A warp splits its channel of a patch, the two parts of an element beside each other.
template <typename Tile, typename Window>
__device__ __forceinline__ void split_plane(const float* plane, float* parts) {
  using Source = Stage<Tile, Window>;
#pragma unroll
  for (int first = 0; first < Source::elements; first += 32) {
    const int i = first + static_cast<int>(threadIdx.x) % 32;
    if (first + 32 <= Source::elements || i < Source::elements) {
      const float value[1] = {plane[i]};
      uint32_t upper[1];
      uint32_t lower[1];
      mma_detail::split_fragment(upper, lower, value);
      *reinterpret_cast<uint2*>(parts + 2 * i) = make_uint2(upper[0], lower[0]);
    }
  }
}

template <typename Tile, typename Window>
__device__ constexpr int tap_offset(int tap) {
  return tap / Window::kernel_x * Window::dilation_y * Stage<Tile, Window>::width +
         tap % Window::kernel_x * Window::dilation_x;
}

// The parts of slices [kFirst, kFirst + kCount) of this lane's pixels.
template <typename Tile, typename Window, int kFirst, int kCount>
__device__ __forceinline__ void read_slices(const float* parts, uint32_t (*upper)[4], uint32_t (*lower)[4]) {
  using Source = Stage<Tile, Window>;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
#pragma unroll
    for (int word = 0; word < 4; ++word) {
      const int element =
          tap_offset<Tile, Window>(kFirst + i) + word / 2 * 2 * Source::two_planes + word % 2 * Window::stride_x;
      const uint2 pair = *reinterpret_cast<const uint2*>(parts + 2 * element);
      upper[i][word] = pair.x;
      lower[i][word] = pair.y;
    }
  }
}

// The descriptor of a slice of the upper parts of the weights, from that of the first.
template <typename Tile>
__device__ __forceinline__ uint64_t slice_operand(uint64_t weights, int slice) {
  constexpr uint64_t kUnit = 16;  // bytes, of addresses in descriptors
  const int floats = slice / kSlicesOfBlock * kBlockFloats<Tile> + slice % kSlicesOfBlock * kInputChannels;
  return weights + static_cast<uint64_t>(floats) * sizeof(float) / kUnit;
}

template <typename Tile>
__device__ __forceinline__ void multiply_group(TileSums<Tile>& sums, const uint32_t (&a)[4], uint64_t b,
                                               bool accumulate) {
  if constexpr (Tile::channels == 64) {
    ptx::wgmma_m64n64k8_tf32(sums, a, b, accumulate);
  } else {
    ptx::wgmma_m64n32k8_tf32(sums, a, b, accumulate);
  }
}

// Issues the products with a small part of slices [kFirst, kFirst + kCount), of those from kBegin to kEnd on.
template <typename Tile, typename Window, int kBegin, int kEnd, int kFirst>
__device__ __forceinline__ void multiply_small_parts(const float* parts, uint64_t weights, uint32_t (*upper)[4],
                                                     TileSums<Tile>& sums) {
  constexpr int kCount = kEnd - kFirst < kSlicesAtOnce ? kEnd - kFirst : kSlicesAtOnce;
  constexpr uint64_t kToLower = uint64_t{Stage<Tile, Window>::blocks * kBlockFloats<Tile>} * sizeof(float) / 16;
  uint32_t lower[kCount][4];
  read_slices<Tile, Window, kFirst, kCount>(parts, upper + (kFirst - kBegin), lower);
  ptx::wgmma_fence();
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    multiply_group<Tile>(sums, lower[i], slice_operand<Tile>(weights, kFirst + i), kFirst + i > kBegin);
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    multiply_group<Tile>(sums, upper[kFirst - kBegin + i], slice_operand<Tile>(weights, kFirst + i) + kToLower, true);
  }
  ptx::wgmma_commit();
  if constexpr (kFirst + kCount < kEnd) {
    ptx::wgmma_wait<1>();
    multiply_small_parts<Tile, Window, kBegin, kEnd, kFirst + kCount>(parts, weights, upper, sums);
  }
}

// Slices [kFirst, kFirst + kCount) of K: sums = their products. `parts` is this lane's first element under its warp's
// pixels, `weights` the descriptor of the first slice.
template <typename Tile, typename Window, int kFirst, int kCount>
__device__ __forceinline__ void multiply_slices(const float* parts, uint64_t weights, TileSums<Tile>& sums) {
  uint32_t upper[kCount][4];
  multiply_small_parts<Tile, Window, kFirst, kFirst + kCount, kFirst>(parts, weights, upper, sums);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    multiply_group<Tile>(sums, upper[i], slice_operand<Tile>(weights, kFirst + i), true);
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::wgmma_pin(sums);
}

// All slices from kFirst on.
template <typename Tile, typename Window, int kFirst = 0>
__device__ __forceinline__ void multiply(const float* parts, uint64_t weights, TileSums<Tile>& sums) {
  using Source = Stage<Tile, Window>;
  constexpr int kLeft = Source::slices - kFirst;
  constexpr int kCount = kLeft < Source::slices_of_group ? kLeft : Source::slices_of_group;
  if constexpr (kFirst == 0) {
    multiply_slices<Tile, Window, kFirst, kCount>(parts, weights, sums);
  } else {
    TileSums<Tile> partial;
    multiply_slices<Tile, Window, kFirst, kCount>(parts, weights, partial);
#pragma unroll
    for (int i = 0; i < Tile::sums; ++i) {
      sums[i] += partial[i];
    }
  }
  if constexpr (kCount < kLeft) {
    multiply<Tile, Window, kFirst + kCount>(parts, weights, sums);
  }
}

template <typename Tile>
__device__ __forceinline__ bool are_all_finite(const TileSums<Tile>& sums) {
  float probe = 0;  // 0, or NaN
#pragma unroll
  for (float sum : sums) {
    probe = fmaf(sum, 0.0f, probe);
  }
  return probe == 0;
}

// What becomes of sums: stored by an epilogue, where it may by two neighbouring pixels.
template <typename Epilogue>
struct StorePixels {
  struct State {};

  Epilogue epilogue;
  int64_t width;
  bool in_pairs;

  __device__ __forceinline__ bool takes_pairs() const {
    return in_pairs && requires { epilogue.template lanes<2>(0, 0, 0, Lanes<float, 2>{}); };
  }
  // Of a channel: this lane's two pixels, which are both there.
  __device__ __forceinline__ void take_pair(State&, int, const Place& place, int channel, float first,
                                            float second) const {
    if constexpr (requires { epilogue.template lanes<2>(0, 0, 0, Lanes<float, 2>{}); }) {
      epilogue.template lanes<2>(place.image, channel, place.y * width + place.x, {first, second});
    }
  }
  __device__ __forceinline__ void take(State&, int, const Place& place, int channel, float sum) const {
    epilogue(place.image, channel, place.y * width + place.x, sum);
  }
  __device__ __forceinline__ void flush(const State&, const ConvShape&, int64_t, int, int, float*) const {}
};

// This lane's channels are 8 j + lane % 4 * 2 + {0, 1}, its pixels `place` and the one beside it.
template <typename Tile, typename Finish>
__device__ __forceinline__ void finish_whole(const Finish& finish, const Place& place, int first_channel,
                                             const TileSums<Tile>& sums, typename Finish::State& state) {
  const int first = first_channel + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < Tile::sums / 2; ++i) {
    const int at = i / 2 * 4 + i % 2;
    finish.take_pair(state, i, place, first + i / 2 * 8 + i % 2, sums[at], sums[at + 2]);
  }
}

template <typename Tile, typename Finish>
__device__ __forceinline__ void finish_some(const ConvShape& shape, const Finish& finish, const Place& place,
                                            int first_channel, const TileSums<Tile>& sums,
                                            typename Finish::State& state) {
  const int first = first_channel + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
  for (int i = 0; i < Tile::sums; ++i) {
    const int channel = first + i / 4 * 8 + i % 2;
    Place at = place;
    at.x += i / 2 % 2;
    if (at.x < shape.out_width && channel < shape.out_channels) {
      finish.take(state, i / 4 * 2 + i % 2, at, channel, sums[i]);
    }
  }
}

// `place`: of the warp's first pixel.
template <typename Tile, typename Window, typename Finish>
__device__ __forceinline__ void finish_warp(const ConvShape& shape, const Planes& planes, const float* input,
                                            const float* weight, const Finish& finish, const Place& place,
                                            int first_channel, TileSums<Tile>& sums, typename Finish::State& state) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  if (place.y >= shape.out_height || place.x >= shape.out_width) {
    return;
  }
  if (!__all_sync(0xffffffffu, are_all_finite<Tile>(sums))) {
    // Splitting an infinity made NaN, or may have: all of the warp's outputs are computed again.
#pragma unroll 1
    for (int n = 0; n < Tile::sums; ++n) {
      const int channel = first_channel + n / 4 * 8 + lane % 4 * 2 + n % 2;
      Place again = place;
      again.x += lane / 4 * 2 + n / 2 % 2;
      if (again.x < shape.out_width && channel < shape.out_channels) {
        const float sum = direct_mma_detail::sum_again<Window>(shape, planes, input, weight, again, channel);
#pragma unroll
        for (int i = 0; i < Tile::sums; ++i) {
          sums[i] = i == n ? sum : sums[i];
        }
      }
    }
  }
  Place first = place;
  first.x += lane / 4 * 2;
  if (finish.takes_pairs() && place.x + kWarpColumns <= shape.out_width &&
      first_channel + Tile::channels <= shape.out_channels) {
    // All of the warp's outputs are there: nothing keeps them from being finished side by side.
    finish_whole<Tile>(finish, first, first_channel, sums, state);
  } else {
    finish_some<Tile>(shape, finish, first, first_channel, sums, state);
  }
}

template <typename Tile, typename Window, typename Finish>
__global__ void __launch_bounds__(kThreads, kBlocksOfMultiprocessor)
    direct_wgmma_kernel(ConvShape shape, const float* input, const float* weight, Finish finish, Planes planes,
                        Patches patches) {
#ifdef STITCH_HAS_WGMMA
  using Source = Stage<Tile, Window>;
  extern __shared__ __align__(1024) unsigned char direct_wgmma_shared[];
  float* const weights = reinterpret_cast<float*>(direct_wgmma_shared);
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float* const raw = weights + Source::weights + plane_offset<Tile, Window>(warp);
  float* const split = weights + Source::weights + Source::raw;
  const int first_channel = static_cast<int>(blockIdx.y) * Tile::channels;
  const int64_t image = blockIdx.x / static_cast<unsigned>(patches.blocks);
  const int block = static_cast<int>(blockIdx.x % static_cast<unsigned>(patches.blocks));
  const int first = block * kPatches;
  const int left = patches.down * patches.across - first;
  const int end = left < kPatches ? left : kPatches;
  const auto place_of = [&](int patch) {
    return Place{image, 0, (first + patch) / patches.across * kRows, (first + patch) % patches.across * kColumns};
  };
  // This warp's pixels in the first two rows of a patch, and this lane's first element under them.
  const int warp_row = warp % 4 / 2;
  const int warp_column = warp % 2 * kWarpColumns;
  const int pixel = plane_offset<Tile, Window>(lane % 4) + warp_row * Window::stride_y * Source::width +
                    (warp_column + lane / 4 * 2) * Window::stride_x;
  load_plane<Tile, Window>(shape, planes, input, place_of(0), raw);
  ptx::cp_async_commit();
  load_weights<Tile, Window>(shape, weight, first_channel, weights);
  ptx::wgmma_publish_operands();
  const uint64_t operand = ptx::wgmma_operand(weights);
  typename Finish::State state = {};
#pragma unroll 1
  for (int patch = 0; patch < end; ++patch) {
    float* const parts = split + patch % 2 * Source::split;
    ptx::cp_async_wait<0>();
    __syncwarp();
    split_plane<Tile, Window>(raw, parts + 2 * plane_offset<Tile, Window>(warp));
    __syncwarp();  // all have read what is written over
    if (patch + 1 < end) {
      load_plane<Tile, Window>(shape, planes, input, place_of(patch + 1), raw);
    }
    ptx::cp_async_commit();
    // Parts are there; and all have multiplied those before them, which the next turn writes over.
    __syncthreads();
#pragma unroll 1
    for (int tile = warp / 4; tile < kTiles; tile += kGroups) {
      TileSums<Tile> sums;
      multiply<Tile, Window>(parts + 2 * (pixel + tile * 2 * Window::stride_y * Source::width), operand, sums);
      Place place = place_of(patch);
      place.y += tile * 2 + warp_row;
      place.x += warp_column;
      finish_warp<Tile, Window>(shape, planes, input, weight, finish, place, first_channel, sums, state);
    }
  }
  finish.flush(state, shape, image, block, first_channel, weights);
#endif
}

template <typename Tile, typename Window, typename Finish>
cudaError_t launch(const ConvShape& shape, const float* input, const float* weight, const Finish& finish,
                   const Patches& patches, cudaStream_t stream) {
  using Source = Stage<Tile, Window>;
  static_assert(Window::rank == 2);
  if (shape.groups != 1 || shape.in_channels > kInputChannels) {
    return cudaErrorInvalidValue;
  }
  if (patches.blocks == 0 || shape.batch == 0 || shape.out_channels == 0) {
    return cudaSuccess;
  }
  auto kernel = direct_wgmma_kernel<Tile, Window, Finish>;
  const cudaError_t error = allow_shared_memory(kernel, Source::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const dim3 blocks(static_cast<unsigned>(shape.batch * patches.blocks),
                    static_cast<unsigned>(ceil_divide(shape.out_channels, Tile::channels)));
  kernel<<<blocks, kThreads, Source::shared_bytes, stream>>>(shape, input, weight, finish, input_planes(shape),
                                                             patches);
  return cudaGetLastError();
}

inline Patches patches_of(const ConvShape& shape) {
  const int64_t down = ceil_divide(shape.out_height, kRows);
  const int64_t across = ceil_divide(shape.out_width, kColumns);
  return {static_cast<int>(down), static_cast<int>(across), static_cast<int>(ceil_divide(down * across, kPatches))};
}

}  // namespace direct_wgmma_detail

// epilogue: void operator()(int64_t image, int64_t channel, int64_t pixel, float accumulator) const, pixels of a plane
// numbered along its rows; and lanes<2>(image, channel, pixel, accumulators) where `vectorised`, which is proved for
// every fourth pixel. Needs shape.groups == 1 and at most eight input channels; sm_90a.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_direct_wgmma(const ConvShape& shape, const float* input, const float* weight,
                                     const Epilogue& epilogue, bool vectorised, cudaStream_t stream) {
  const direct_wgmma_detail::StorePixels<Epilogue> finish{epilogue, shape.out_width,
                                                          vectorised && shape.out_width % 2 == 0};
  return direct_wgmma_detail::launch<Tile, Window>(shape, input, weight, finish, direct_wgmma_detail::patches_of(shape),
                                                   stream);
}

}  // namespace stitch
