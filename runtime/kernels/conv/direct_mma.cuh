// SPDX-License-Identifier: Apache-2.0
// Direct convolution on the tensor cores, fp32 class by three TF32 products: for few input channels, where gathering
// windows into the tiles of a product costs more than the product. A block keeps the taps of 32 or 64 output channels
// in shared memory, split into their two TF32 parts as mma.m16n8k8 wants them, and takes patch after patch of the input
// there, the next one while it multiplies the last; a warp multiplies the taps of 32 channels with the windows of 32
// neighbouring pixels, which it reads from the patch where they lie: nothing is gathered. K runs through input channels
// first, so that a slice of eight is one tap of eight channels or two taps of four.
#pragma once

#include "kernels/conv/depthwise_rows.cuh"
#include "kernels/gemm/mma_policy.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Output channels of a block: 32 or 64; input channels of a stage: 4 or 8.
template <int kChannels, int kInputChannels>
struct DirectMmaTile {
  static constexpr int threads = 256;
  static constexpr int warps = threads / 32;
  static constexpr int columns = 32;  // of pixels, a warp's
  static constexpr int channels_of_warp = 32;
  static constexpr int channels = kChannels;
  static constexpr int input_channels = kInputChannels;
  static constexpr int warps_of_channels = kChannels / channels_of_warp;
  static constexpr int rows = warps / warps_of_channels;  // of pixels, a warp's each
  static constexpr int patches = 4;                       // that a block takes one after the other
};

namespace direct_mma_detail {

constexpr int kSlice = 8;          // of K
constexpr int kRowsOfTile = 16;    // output channels
constexpr int kColumnsOfTile = 8;  // pixels
constexpr int kBanks = 32;
constexpr int kWordsOfLane = 8;   // of a slice and sixteen channels: four upper parts and four lower ones
constexpr int kStagedPitch = 40;  // eight lanes that write pairs side by side meet no bank twice
constexpr int kSlicesOfGroup = Tf32x3::kPromoteEvery / kSlice;

template <typename Tile, typename Window>
struct Stage {
  static constexpr int rows = depthwise_detail::kRowsUnder<Window, Tile::rows>;
  static constexpr int width = (Tile::columns - 1) * Window::stride_x + (Window::kernel_x - 1) * Window::dilation_x + 1;
  static constexpr int elements = rows * width;  // of one input channel
  // Four channels' eight neighbouring pixels lie in 32 different banks.
  static constexpr int plane = (elements + kBanks - 1) / kBanks * kBanks + kSlice;
  static constexpr int patch = Tile::input_channels * plane;
  static constexpr int taps = Window::kernel_y * Window::kernel_x;
  static constexpr int slices = (taps * Tile::input_channels + kSlice - 1) / kSlice;
  // Partial sums are promoted after so many slices: groups of equal length.
  static constexpr int groups = (slices + kSlicesOfGroup - 1) / kSlicesOfGroup;
  static constexpr int slices_of_group = (slices + groups - 1) / groups;
  static constexpr int tiles = Tile::channels / kRowsOfTile;
  static constexpr int weights = slices * tiles * 32 * kWordsOfLane;
  static constexpr int staged = Tile::warps * kColumnsOfTile * kStagedPitch;
  static constexpr int shared_bytes = (weights + 2 * patch + staged) * static_cast<int>(sizeof(float));
};

// The first output of a block's patch.
struct Place {
  int64_t image;
  int z;
  int y;
  int x;
};

// The part of K that is in shared memory: some input channels of one plane of the window.
struct Part {
  int channel;
  int plane;
};

template <typename Tile, typename Window>
__device__ __forceinline__ void load_patch(const ConvShape& shape, const Planes& planes, const float* input,
                                           const Place& place, const Part& part, float* patch) {
  using Source = Stage<Tile, Window>;
  const int z = place.z * Window::stride_z - Window::padding_z + part.plane * Window::dilation_z;
  const int first_y = place.y * Window::stride_y - Window::padding_y;
  const int first_x = place.x * Window::stride_x - Window::padding_x;
  const bool is_plane_inside = static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth);
  const auto channels = static_cast<int>(shape.in_channels) - part.channel;
  const float* const first = input + (place.image * shape.in_channels + part.channel) * planes.plane_stride;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < Tile::input_channels * Source::elements; i += Tile::threads) {
    const int channel = i / Source::elements;
    const int element = i % Source::elements;
    const int x = first_x + element % Source::width;
    const int y = first_y + element / Source::width;
    const bool is_inside = is_plane_inside && channel < channels &&
                           static_cast<unsigned>(y) < static_cast<unsigned>(planes.height) &&
                           static_cast<unsigned>(x) < static_cast<unsigned>(planes.width);
    ptx::cp_async_4_or_zero(patch + channel * Source::plane + element,
                            is_inside ? first + channel * planes.plane_stride + planes.offset(z, y, x) : input,
                            is_inside);
  }
}

// Splits the part's taps. Channels and taps that are not there weigh nothing.
template <typename Tile, typename Window>
__device__ __forceinline__ void load_weights(const ConvShape& shape, const float* weight, int first_channel,
                                             const Part& part, float* weights) {
  using Source = Stage<Tile, Window>;
  constexpr int kDepth = Source::slices * kSlice;
  const auto channels = static_cast<int>(shape.out_channels) - first_channel;
  const auto input_channels = static_cast<int>(shape.in_channels) - part.channel;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < Tile::channels * kDepth; i += Tile::threads) {
    const int channel = i / kDepth;
    const int k = i % kDepth;
    const int input_channel = k % Tile::input_channels;
    const int tap = k / Tile::input_channels;
    float value[1] = {0};
    if (channel < channels && input_channel < input_channels && tap < Source::taps) {
      value[0] = weight[((first_channel + channel) * shape.in_channels + part.channel + input_channel) * Window::taps +
                        part.plane * Source::taps + tap];
    }
    uint32_t upper[1];
    uint32_t lower[1];
    mma_detail::split_fragment(upper, lower, value);
    const int row = channel % kRowsOfTile;
    const int word = row / 8 + k % kSlice / 4 * 2;
    const int lane = row % 8 * 4 + k % 4;
    float* const at = weights + ((k / kSlice * Source::tiles + channel / kRowsOfTile) * 2 * 32 + lane) * 4 + word;
    at[0] = __uint_as_float(upper[0]);
    at[32 * 4] = __uint_as_float(lower[0]);
  }
}

using Sums = MmaSums<2, 4>;  // 32 channels by 32 pixels

// A tap's place in the patch, from the first tap's. One that is not there, whose weights are zero, reads the first's.
template <typename Tile, typename Window>
__device__ constexpr int tap_offset(int tap) {
  return tap >= Stage<Tile, Window>::taps ? 0
                                          : tap / Window::kernel_x * Window::dilation_y * Stage<Tile, Window>::width +
                                                tap % Window::kernel_x * Window::dilation_x;
}

// One slice of K: `pixels` is this lane's first element under its warp's pixels, `weights` this lane's words.
template <typename Tile, typename Window>
__device__ __forceinline__ void multiply_slice(const float* pixels, const float* weights, int slice, Sums& sums) {
  using Source = Stage<Tile, Window>;
  constexpr bool kIsOneTap = Tile::input_channels == kSlice;
  const int low = kIsOneTap ? tap_offset<Tile, Window>(slice) : tap_offset<Tile, Window>(2 * slice);
  const int high = kIsOneTap ? low + 4 * Source::plane : tap_offset<Tile, Window>(2 * slice + 1);
  uint32_t upper_pixels[4][2];
  uint32_t lower_pixels[4][2];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float* const at = pixels + j * kColumnsOfTile * Window::stride_x;
    const float values[2] = {at[low], at[high]};
    mma_detail::split_fragment(upper_pixels[j], lower_pixels[j], values);
  }
  uint32_t upper_weights[2][4];
  uint32_t lower_weights[2][4];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const auto* const at = reinterpret_cast<const uint4*>(weights + (slice * Source::tiles + i) * 2 * 32 * 4);
    const uint4 upper = at[0];
    const uint4 lower = at[32];
    upper_weights[i][0] = upper.x, upper_weights[i][1] = upper.y;
    upper_weights[i][2] = upper.z, upper_weights[i][3] = upper.w;
    lower_weights[i][0] = lower.x, lower_weights[i][1] = lower.y;
    lower_weights[i][2] = lower.z, lower_weights[i][3] = lower.w;
  }
  // Small terms first, all products of one kind together: see Tf32x3.
  mma_detail::for_each_product<2, 4>(
      [&](int i, int j) { ptx::mma_m16n8k8_tf32(sums[i][j], lower_weights[i], upper_pixels[j]); });
  mma_detail::for_each_product<2, 4>(
      [&](int i, int j) { ptx::mma_m16n8k8_tf32(sums[i][j], upper_weights[i], lower_pixels[j]); });
  mma_detail::for_each_product<2, 4>(
      [&](int i, int j) { ptx::mma_m16n8k8_tf32(sums[i][j], upper_weights[i], upper_pixels[j]); });
}

template <typename Tile, typename Window>
__device__ __forceinline__ void multiply_part(const float* pixels, const float* weights, Sums& sums) {
  using Source = Stage<Tile, Window>;
  constexpr int kUnrolled = Source::groups <= 4 ? Source::groups : 1;
#pragma unroll kUnrolled
  for (int group = 0; group < Source::groups; ++group) {
    Sums partial = {};
#pragma unroll
    for (int i = 0; i < Source::slices_of_group; ++i) {
      const int slice = group * Source::slices_of_group + i;
      if (slice < Source::slices) {
        multiply_slice<Tile, Window>(pixels, weights, slice, partial);
      }
    }
#pragma unroll
    for (int i = 0; i < 2 * 4 * 4; ++i) {
      sums[i / 16][i / 4 % 4][i % 4] += partial[i / 16][i / 4 % 4][i % 4];
    }
  }
}

// One output by plain fp32 arithmetic.
template <typename Window>
__device__ float sum_again(const ConvShape& shape, const Planes& planes, const float* input, const float* weight,
                           const Place& place, int64_t channel) {
  float sum = 0;
#pragma unroll 4
  for (int64_t k = 0; k < shape.in_channels * Window::taps; ++k) {
    const auto tap = static_cast<int>(k % Window::taps);
    const int z = place.z * Window::stride_z - Window::padding_z +
                  tap / (Window::kernel_y * Window::kernel_x) * Window::dilation_z;
    const int y =
        place.y * Window::stride_y - Window::padding_y + tap / Window::kernel_x % Window::kernel_y * Window::dilation_y;
    const int x = place.x * Window::stride_x - Window::padding_x + tap % Window::kernel_x * Window::dilation_x;
    if (static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth) &&
        static_cast<unsigned>(y) < static_cast<unsigned>(planes.height) &&
        static_cast<unsigned>(x) < static_cast<unsigned>(planes.width)) {
      const float* const plane = input + (place.image * shape.in_channels + k / Window::taps) * planes.plane_stride;
      sum = fmaf(plane[planes.offset(z, y, x)], weight[channel * shape.in_channels * Window::taps + k], sum);
    }
  }
  return sum;
}

__device__ __forceinline__ bool are_all_finite(const Sums& sums) {
  float probe = 0;  // 0, or NaN
#pragma unroll
  for (int i = 0; i < 2 * 4 * 4; ++i) {
    probe = fmaf(sums[i / 16][i / 4 % 4][i % 4], 0.0f, probe);
  }
  return probe == 0;
}

// A warp's sums go to the epilogue, eight channels at a time, each by 32 neighbouring pixels. `place`: of this lane's.
// kIsWhole: all outputs are there, so that nothing keeps them from being finished side by side.
template <typename Window, bool kIsWhole, typename Epilogue>
__device__ __forceinline__ void finish_staged(const ConvShape& shape, const Epilogue& epilogue, const Place& place,
                                              int first_channel, const Sums& sums, float* staged) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const bool is_there = place.y < shape.out_height && place.x < shape.out_width;
#pragma unroll
  for (int eight = 0; eight < 4; ++eight) {
    __syncwarp();  // all have read what is written over
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const auto& from = sums[eight / 2][j];
      *reinterpret_cast<float2*>(staged + lane / 4 * kStagedPitch + j * kColumnsOfTile + lane % 4 * 2) =
          make_float2(from[eight % 2 * 2], from[eight % 2 * 2 + 1]);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int channel = first_channel + eight * 8 + i;
      if (kIsWhole || (is_there && channel < shape.out_channels)) {
        finish_pixel<Window::rank>(epilogue, {place.image, place.z, place.y, place.x}, channel,
                                   staged[i * kStagedPitch + lane]);
      }
    }
  }
}

// Where splitting an infinity made NaN, or may have, all of a warp's outputs are computed again.
template <typename Window, typename Epilogue>
__device__ __forceinline__ void finish_warp(const ConvShape& shape, const Planes& planes, const float* input,
                                            const float* weight, const Epilogue& epilogue, const Place& place,
                                            int first_channel, const Sums& sums, float* staged) {
  if (__all_sync(0xffffffffu, are_all_finite(sums))) {
    const int first_x = place.x - static_cast<int>(threadIdx.x) % 32;
    if (place.y < shape.out_height && first_x + 32 <= shape.out_width && first_channel + 32 <= shape.out_channels) {
      finish_staged<Window, true>(shape, epilogue, place, first_channel, sums, staged);
    } else {
      finish_staged<Window, false>(shape, epilogue, place, first_channel, sums, staged);
    }
    return;
  }
#pragma unroll 1
  for (int i = 0; i < 32; ++i) {
    const int channel = first_channel + i;
    if (place.y < shape.out_height && place.x < shape.out_width && channel < shape.out_channels) {
      finish_pixel<Window::rank>(epilogue, {place.image, place.z, place.y, place.x}, channel,
                                 sum_again<Window>(shape, planes, input, weight, place, channel));
    }
  }
}

// Patches of an output channel, numbered; and the parts of K of each, one after the other.
template <int kRank>
struct Steps {
  PixelIndex<kRank> patches;
  int64_t count;  // of patches
  int parts;
};

template <typename Tile, typename Window, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, 2)
    direct_mma_kernel(ConvShape shape, const float* input, const float* weight, Epilogue epilogue, Planes planes,
                      Steps<Window::rank> steps) {
  using Source = Stage<Tile, Window>;
  extern __shared__ __align__(16) float shared[];
  float* const weights = shared;
  float* const patches = weights + Source::weights;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float* const staged = patches + 2 * Source::patch + warp * kColumnsOfTile * kStagedPitch;
  const int row = warp / Tile::warps_of_channels;
  const int half = warp % Tile::warps_of_channels * Tile::channels_of_warp;
  const int first_channel = static_cast<int>(blockIdx.y) * Tile::channels;
  // This lane's first element in a patch, and its words of the weights.
  const int pixel = lane % 4 * Source::plane + row * Window::stride_y * Source::width + lane / 4 * Window::stride_x;
  const float* const words = weights + (half / kRowsOfTile * 2 * 32 + lane) * 4;
  const int64_t first = int64_t{blockIdx.x} * Tile::patches;
  const int64_t left = steps.count - first;
  const int end = static_cast<int>(left < Tile::patches ? left : Tile::patches) * steps.parts;
  const auto place_of = [&](int step) {
    const PixelPlace patch = steps.patches.place(first + step / steps.parts);
    return Place{patch.n, static_cast<int>(patch.z), static_cast<int>(patch.y) * Tile::rows,
                 static_cast<int>(patch.x) * Tile::columns};
  };
  const auto part_of = [&](int step) {
    const int part = step % steps.parts;
    return Part{part / Window::kernel_z * Tile::input_channels, part % Window::kernel_z};
  };
  const auto load = [&](int step) {
    if (step < end) {
      load_patch<Tile, Window>(shape, planes, input, place_of(step), part_of(step), patches + step % 2 * Source::patch);
    }
    ptx::cp_async_commit();
  };
  load(0);
  Sums sums = {};
  for (int step = 0; step < end; ++step) {
    load(step + 1);
    if (step == 0 || steps.parts > 1) {
      load_weights<Tile, Window>(shape, weight, first_channel, part_of(step), weights);
    }
    ptx::cp_async_wait<1>();
    __syncthreads();
    multiply_part<Tile, Window>(patches + step % 2 * Source::patch + pixel, words, sums);
    if (step % steps.parts == steps.parts - 1) {
      Place place = place_of(step);
      place.y += row;
      place.x += lane;
      finish_warp<Window>(shape, planes, input, weight, epilogue, place, first_channel + half, sums, staged);
#pragma unroll
      for (int i = 0; i < 2 * 4 * 4; ++i) {
        sums[i / 16][i / 4 % 4][i % 4] = 0;
      }
    }
    __syncthreads();  // all have read what is written over
  }
}

}  // namespace direct_mma_detail

// Needs shape.groups == 1.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_direct_mma(const ConvShape& shape, const float* input, const float* weight,
                                   const Epilogue& epilogue, cudaStream_t stream) {
  using Source = direct_mma_detail::Stage<Tile, Window>;
  if (shape.groups != 1) {
    return cudaErrorInvalidValue;
  }
  const int64_t down = ceil_divide(shape.out_height, Tile::rows);
  const int64_t across = ceil_divide(shape.out_width, Tile::columns);
  const int64_t count = shape.batch * shape.out_depth * down * across;
  if (count == 0 || shape.out_channels == 0) {
    return cudaSuccess;
  }
  const auto parts = static_cast<int>(ceil_divide(shape.in_channels, Tile::input_channels)) * Window::kernel_z;
  const direct_mma_detail::Steps<Window::rank> steps{PixelIndex<Window::rank>(shape.out_depth, down, across), count,
                                                     parts};
  auto kernel = direct_mma_detail::direct_mma_kernel<Tile, Window, Epilogue>;
  const cudaError_t error = allow_shared_memory(kernel, Source::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const dim3 blocks(static_cast<unsigned>(ceil_divide(count, Tile::patches)),
                    static_cast<unsigned>(ceil_divide(shape.out_channels, Tile::channels)));
  kernel<<<blocks, Tile::threads, Source::shared_bytes, stream>>>(shape, input, weight, epilogue, input_planes(shape),
                                                                  steps);
  return cudaGetLastError();
}

}  // namespace stitch
