// SPDX-License-Identifier: Apache-2.0
// Convolution by patches (patch_mma.cuh) whose outputs are pooled before they leave the registers, by windows that lie
// side by side. A thread has all phases of two neighbouring places, so that a window lies within the warp where its
// depth and height divide the phases: of a transposed convolution those of its strides, of others the outputs that are
// stacked to one place (Stacked).
//
// element: float operator()(int64_t image, int64_t channel, int64_t y, int64_t x, float sum) const, what is pooled;
// with three axes z comes before y. store: void operator()(int64_t image, int64_t channel, int64_t out_y, int64_t
// out_x, float value) const, likewise.
#pragma once

#include "kernels/conv/patch_mma.cuh"
#include "kernels/pool/joins.cuh"

namespace stitch {

namespace patch_detail {

template <typename Window, typename Element>
__device__ __forceinline__ float pooled_element(const Element& element, const PixelPlace& place, int64_t channel,
                                                float sum) {
  if constexpr (Window::rank == 3) {
    return element(place.n, channel, place.z, place.y, place.x, sum);
  } else {
    return element(place.n, channel, place.y, place.x, sum);
  }
}

// In the place of an epilogue.
template <typename Join, int kDepth, int kHeight, int kWidth, typename Element, typename Store>
struct PoolWindows {
  Element element;
  Store store;
  int depth;  // of the pooled planes
  int height;
  int width;
  float divisor;
};

// How the windows of a pool lie in a warp's outputs. A line is what a warp has of a row of pooled elements.
template <typename Tile, typename Window, int kDepth, int kHeight, int kWidth>
struct WindowsOfWarp {
  using Axes = PatchAxes<Window>;
  static constexpr int depth = kDepth, height = kHeight, width = kWidth;
  static_assert(Axes::Z::phases % kDepth == 0 && Axes::Y::phases % kHeight == 0, "a window leaves the place");
  static constexpr int lines_z = Axes::Z::phases / kDepth;
  static constexpr int lines_y = Axes::Y::phases / kHeight;
  static constexpr int lines = lines_z * lines_y;
  // Of a thread, beside each other in one tile; a wider window lies in several neighbouring lanes.
  static constexpr int outputs_of_thread = 2 * Axes::X::phases;
  static constexpr int lanes = kWidth > outputs_of_thread ? kWidth / outputs_of_thread : 1;
  static constexpr int width_of_thread = kWidth / lanes;
  static_assert(outputs_of_thread % width_of_thread == 0 && width_of_thread * lanes == kWidth && 4 % lanes == 0,
                "a window leaves the lanes of a tile");
  static constexpr int of_thread = outputs_of_thread / width_of_thread;
  static constexpr int of_tile = 4 / lanes * of_thread;
  static constexpr int of_line = Tile::tiles_n * of_tile;
  static constexpr int pitch = of_line + (of_thread == 1 ? 4 : 8);
  static_assert(pitch <= Patch<Tile, Window>::pitch);
};

// Where a warp's line of windows lies: its first output, and its first channel.
struct PooledLine {
  PixelPlace output;
  int64_t channel;  // beginning at the group's first
  int64_t last_channel;
  int64_t last_x;
  int number;  // of the place's lines
};

// One channel's elements of a window that this thread has, `first` being the first of them among the thread's outputs
// of tile `j`. Outputs and channels that are not there are taken for the last that are: nothing is stored of them.
template <typename Windows, typename Join, typename Tile, typename Window, typename Element>
__device__ __forceinline__ float joined_of_thread(const Element& element, const PooledLine& line,
                                                  const PatchSums<Tile, Window>& sums, int i, int half, int j,
                                                  int first) {
  using Axes = PatchAxes<Window>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t channel = line.channel + lane / 4 + half * 8;
  const int64_t first_x = line.output.x + (j * 4 + lane % 4) * Windows::outputs_of_thread;
  float joined = 0;
#pragma unroll
  for (int k = 0; k < Windows::depth * Windows::height * Windows::width_of_thread; ++k) {
    const int z = k / (Windows::width_of_thread * Windows::height);
    const int y = k / Windows::width_of_thread % Windows::height;
    const int x = first + k % Windows::width_of_thread;
    const int phase = ((line.number / Windows::lines_y * Windows::depth + z) * Axes::Y::phases +
                       line.number % Windows::lines_y * Windows::height + y) *
                          Axes::X::phases +
                      x % Axes::X::phases;
    const PixelPlace place{line.output.n, line.output.z + z, line.output.y + y, min(first_x + x, line.last_x)};
    const float value = pooled_element<Window>(element, place, min(channel, line.last_channel),
                                               sums[phase][i][j][half * 2 + x / Axes::X::phases]);
    joined = k == 0 ? value : Join::join(joined, value);
  }
  return joined;
}

template <int kCount>
__device__ __forceinline__ void stage_values(float* at, const float (&values)[kCount]) {
  if constexpr (kCount == 4) {
    *reinterpret_cast<float4*>(at) = make_float4(values[0], values[1], values[2], values[3]);
  } else if constexpr (kCount == 2) {
    *reinterpret_cast<float2*>(at) = make_float2(values[0], values[1]);
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      at[i] = values[i];
    }
  }
}

// Windows of a line of sixteen channels.
template <typename Windows, typename Join, typename Tile, typename Window, typename Element>
__device__ __forceinline__ void stage_windows(const Element& element, const PooledLine& line,
                                              const PatchSums<Tile, Window>& sums, int i, float* staged) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float* const row = staged + (lane / 4 + half * 8) * Windows::pitch + lane % 4 / Windows::lanes * Windows::of_thread;
#pragma unroll
    for (int j = 0; j < Tile::tiles_n; ++j) {
      float values[Windows::of_thread];
#pragma unroll
      for (int k = 0; k < Windows::of_thread; ++k) {
        values[k] = joined_of_thread<Windows, Join, Tile, Window>(element, line, sums, i, half, j,
                                                                  k * Windows::width_of_thread);
#pragma unroll
        for (int distance = 1; distance < Windows::lanes; distance *= 2) {
          values[k] = Join::join(values[k], __shfl_xor_sync(kFullWarp, values[k], distance));
        }
      }
      if (lane % Windows::lanes == 0) {
        stage_values(row + j * Windows::of_tile, values);
      }
    }
  }
}

template <typename Window, typename Store>
__device__ __forceinline__ void store_pooled(const Store& store, const PixelPlace& place, int64_t channel,
                                             float value) {
  if constexpr (Window::rank == 3) {
    store(place.n, channel, place.z, place.y, place.x, value);
  } else {
    store(place.n, channel, place.y, place.x, value);
  }
}

// What is staged of a line. `first`: its first pooled element, of which `channels` channels and `width` are there. All
// are read before the first is stored, as stores that may be left out are waited for one by one.
template <typename Windows, typename Join, typename Window, typename Store>
__device__ __forceinline__ void store_windows(const Store& store, const PixelPlace& first, int64_t first_channel,
                                              int channels, int width, float divisor, const float* staged) {
  constexpr int kRounds = kRowsOfTile * Windows::of_line / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float values[kRounds];
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int number = round * 32 + lane;
    values[round] = staged[number / Windows::of_line * Windows::pitch + number % Windows::of_line];
  }
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int channel = (round * 32 + lane) / Windows::of_line;
    const int x = (round * 32 + lane) % Windows::of_line;
    if (channel < channels && x < width) {
      store_pooled<Window>(store, {first.n, first.z, first.y, first.x + x}, first_channel + channel,
                           Join::finish(values[round], divisor));
    }
  }
}

// All windows of a warp by plain fp32 arithmetic.
template <typename Windows, typename Tile, typename Window, typename Join, typename Pool>
__device__ __forceinline__ void pool_again(const PatchFinish<Pool>& finish, const WarpPlace& warp) {
  using Axes = PatchAxes<Window>;
  constexpr int kOfLine = Windows::of_line;
  const Pool& pool = finish.epilogue;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % 32; i < Tile::channels * Windows::lines * kOfLine; i += 32) {
    const int line = i / kOfLine % Windows::lines;
    const int channel = warp.channel + i / kOfLine / Windows::lines;
    const PixelPlace place{warp.place.image,
                           Axes::Z::output(warp.place.z, 0) / Windows::depth + line / Windows::lines_y,
                           Axes::Y::output(warp.place.y, 0) / Windows::height + line % Windows::lines_y,
                           Axes::X::output(warp.place.x, 0) / Windows::width + i % kOfLine};
    if (channel >= finish.out_channels || place.z >= pool.depth || place.y >= pool.height || place.x >= pool.width) {
      continue;
    }
    float joined = Join::identity;
#pragma unroll 1
    for (int k = 0; k < Windows::depth * Windows::height * Windows::width; ++k) {
      const PixelPlace output{place.n, place.z * Windows::depth + k / (Windows::height * Windows::width),
                              place.y * Windows::height + k / Windows::width % Windows::height,
                              place.x * Windows::width + k % Windows::width};
      const float sum = sum_patch_again<typename WindowFold<Window>::Original>(finish, output, warp.group, channel);
      joined = Join::join(
          joined, pooled_element<Window>(pool.element, output, warp.group * finish.out_channels + channel, sum));
    }
    store_pooled<Window>(pool.store, place, warp.group * finish.out_channels + channel,
                         Join::finish(joined, pool.divisor));
  }
}

template <typename Windows, typename Join, typename Tile, typename Window, typename Pool>
__device__ __forceinline__ void pool_warp(const PatchFinish<Pool>& finish, const WarpPlace& warp,
                                          const PatchSums<Tile, Window>& sums, float* staged) {
  using Axes = PatchAxes<Window>;
  const auto& pool = finish.epilogue;
  if (!__all_sync(kFullWarp, are_all_finite<Tile, Window>(sums))) {
    pool_again<Windows, Tile, Window, Join>(finish, warp);
    return;
  }
  const int64_t first_channel = warp.group * finish.out_channels;
  const int width = pool.width - Axes::X::output(warp.place.x, 0) / Windows::width;
#pragma unroll
  for (int number = 0; number < Windows::lines; ++number) {
    const PixelPlace first{warp.place.image,
                           Axes::Z::output(warp.place.z, 0) / Windows::depth + number / Windows::lines_y,
                           Axes::Y::output(warp.place.y, 0) / Windows::height + number % Windows::lines_y,
                           Axes::X::output(warp.place.x, 0) / Windows::width};
    if (first.z >= pool.depth || first.y >= pool.height || width <= 0) {
      continue;  // as all of the warp
    }
#pragma unroll
    for (int i = 0; i < Tile::tiles_m; ++i) {
      const int channel = warp.channel + i * kRowsOfTile;
      const PooledLine line{{first.n, first.z * Windows::depth, first.y * Windows::height, first.x * Windows::width},
                            first_channel + channel,
                            first_channel + finish.out_channels - 1,
                            finish.shape.out_width - 1,
                            number};
      __syncwarp();  // all have read what is written over
      stage_windows<Windows, Join, Tile, Window>(pool.element, line, sums, i, staged);
      __syncwarp();
      store_windows<Windows, Join, Window>(pool.store, first, first_channel + channel, finish.out_channels - channel,
                                           width, pool.divisor, staged);
    }
  }
}

template <typename Join, int kDepth, int kHeight, int kWidth, typename Element, typename Store>
struct WarpFinish<PoolWindows<Join, kDepth, kHeight, kWidth, Element, Store>> {
  template <typename Tile, typename Window, typename Finish>
  __device__ __forceinline__ void finish(const Finish& finish, const WarpPlace& warp,
                                         const PatchSums<Tile, Window>& sums, float* staged) {
    pool_warp<WindowsOfWarp<Tile, Window, kDepth, kHeight, kWidth>, Join, Tile, Window>(finish, warp, sums, staged);
  }
};

}  // namespace patch_detail

// What windows of a pool leave of a plane.
struct PooledExtents {
  int64_t depth;
  int64_t height;
  int64_t width;
};

// Windows of kDepth x kHeight x kWidth side by side, of which `pooled` lie within the output. `scratch`: as
// launch_conv_patch_mma() has it.
template <typename Policy, typename Tile, typename Window, typename Join, int kDepth, int kHeight, int kWidth,
          typename Element, typename Store>
cudaError_t launch_conv_patch_pool(const ConvShape& shape, const float* input, const float* weight,
                                   const Element& element, const Store& store, const PooledExtents& pooled,
                                   float divisor, void* scratch, cudaStream_t stream) {
  const patch_detail::PoolWindows<Join, kDepth, kHeight, kWidth, Element, Store> pool{
      element, store, static_cast<int>(pooled.depth), static_cast<int>(pooled.height), static_cast<int>(pooled.width),
      divisor};
  return launch_conv_patch_mma<Policy, Tile, Window>(shape, input, weight, pool, false, scratch, stream);
}

}  // namespace stitch
