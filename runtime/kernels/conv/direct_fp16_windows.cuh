// SPDX-License-Identifier: Apache-2.0
// How direct_fp16_pool.cuh multiplies: a warp takes eight windows of a pool at a time, and of each some outputs
// together, until it has had all of them. Outputs are rows of a product and channels its columns, so that four lanes
// have all channels of an output, and a lane the same channels of all outputs of a window: it joins what it has.
#pragma once

#include "kernels/conv/direct_fp16.cuh"

namespace stitch {

// Windows of a pool, side by side. Lanes share a row of even width, so that neighbouring lanes have neighbouring
// outputs, whose elements meet no bank twice; where a lane then had fewer than four outputs, half as many lanes do.
template <int kDepth, int kHeight, int kWidth>
struct PooledWindow {
  static constexpr int depth = kDepth;
  static constexpr int height = kHeight;
  static constexpr int width = kWidth;
  static constexpr int power_of_two = kWidth & -kWidth;
  static constexpr int most_lanes = power_of_two < 8 ? power_of_two : 8;
  static constexpr bool has_enough = kDepth * kHeight * kWidth / most_lanes >= 4;
  static constexpr int lanes = has_enough || most_lanes == 1 ? most_lanes : most_lanes / 2;
  static constexpr int width_of_lane = kWidth / lanes;
  static constexpr int elements = kDepth * kHeight * width_of_lane;  // of a lane
};

// Patches of so many images and of so many windows along each axis, for all channels in tiles of eight: of exactly so
// many input channels, and `kTogether` outputs of a window multiplied together. Of few taps the weights
// may be kept in registers from output to output.
template <typename PooledWindow, int kTiles, int kWarps, int kInputChannels, int kTogether, int kImages, int kDeep,
          int kDown, int kAcross, bool kKeepsWeights = false>
struct DirectWindowsTile {
  using Pool = PooledWindow;
  static constexpr int tiles = kTiles;
  static constexpr int warps = kWarps;
  static constexpr int threads = 32 * kWarps;
  static constexpr int input_channels = kInputChannels;
  static constexpr int channels = 8 * kTiles;
  static constexpr int together = kTogether;
  static constexpr bool keeps_weights = kKeepsWeights;
  static constexpr int images = kImages;
  static constexpr int deep = kDeep;
  static constexpr int down = kDown;
  static constexpr int across = kAcross;
  static constexpr int depth = kDeep * Pool::depth;
  static constexpr int rows = kDown * Pool::height;
  static constexpr int columns = kAcross * Pool::width;
  static constexpr int windows = kImages * kDeep * kDown * kAcross;
  static constexpr int eights = (windows * Pool::lanes + 7) / 8;
  static constexpr int sums_of_lane = kTogether / 2 * kTiles * 4;
  static constexpr int staged_floats = 0;
  static constexpr int elements = Pool::elements;
  static constexpr bool is_by_words = true;
  static_assert(kTogether % 2 == 0);
};

namespace direct_fp16_detail {

// From a lane's first output of a window, in pixels of a patch.
template <typename Tile, typename Window>
__device__ constexpr int pixel_of_element(int element) {
  using Patch = Stage<Tile, Window>;
  using Pool = typename Tile::Pool;
  const int row = element / Pool::width_of_lane;
  return row / Pool::height * Window::stride_z * Patch::plane + row % Pool::height * Window::stride_y * Patch::pitch +
         element % Pool::width_of_lane * Window::stride_x;
}

template <typename Tile, typename Window>
__device__ __forceinline__ void fill_elements(const Memory<Tile, Window>& memory) {
  for (int i = static_cast<int>(threadIdx.x); i < Tile::elements; i += Tile::threads) {
    memory.elements()[i] = pixel_of_element<Tile, Window>(i) * Stage<Tile, Window>::pixel_bytes;
  }
}

// The part of a window that a lane of four has, in a patch.
template <typename Tile>
struct WindowInPatch {
  int image;
  int z;  // in windows
  int y;
  int x;
  int part;  // of the window's width
  bool is_there;

  // Number `column` of the patch's parts.
  __device__ __forceinline__ explicit WindowInPatch(int column) {
    constexpr int kLanes = Tile::Pool::lanes;
    is_there = column < Tile::windows * kLanes;
    const int window = is_there ? column / kLanes : 0;
    part = column % kLanes;
    x = window % Tile::across;
    y = window / Tile::across % Tile::down;
    z = window / (Tile::across * Tile::down) % Tile::deep;
    image = window / (Tile::across * Tile::down * Tile::deep);
  }

  // Its first output's pixel, in that of a patch.
  template <typename Window>
  __device__ __forceinline__ int pixel() const {
    using Patch = Stage<Tile, Window>;
    using Pool = typename Tile::Pool;
    return image * Patch::in_depth * Patch::plane + z * Pool::depth * Window::stride_z * Patch::plane +
           y * Pool::height * Window::stride_y * Patch::pitch +
           (x * Pool::width + part * Pool::width_of_lane) * Window::stride_x + Patch::lead;
  }
};

// Of `kPairs` times two outputs of eight windows: a lane has two channels of each tile of the outputs of one of them,
// the second output of a pair behind the first.
template <int kPairs, int kTiles>
using WindowSums = float[kPairs][kTiles][4];

// This lane's two words of K under a window's first output.
struct LaneWords {
  const unsigned char* first;
  const unsigned char* second;
};

// Those of two outputs of its window as the tensor cores take them: word by word, so that no register is moved.
__device__ __forceinline__ void read_pair(const LaneWords& words, int first, int second, int part,
                                          uint32_t (&pixels)[4]) {
  pixels[0] = *reinterpret_cast<const uint32_t*>(words.first + first + part);
  pixels[1] = *reinterpret_cast<const uint32_t*>(words.first + second + part);
  pixels[2] = *reinterpret_cast<const uint32_t*>(words.second + first + part);
  pixels[3] = *reinterpret_cast<const uint32_t*>(words.second + second + part);
}

// One slice of K. `places`: of the outputs, from the window's first.
template <int kPairs, typename Tile, typename Window>
__device__ __forceinline__ void multiply_slice_of_windows(const LaneWords& words, const int (&places)[2 * kPairs],
                                                          const uint4* weights, WindowSums<kPairs, Tile::tiles>& sums) {
  using Patch = Stage<Tile, Window>;
  uint32_t upper[kPairs][4];
  uint32_t lower[kPairs][4];
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    read_pair(words, places[2 * i], places[2 * i + 1], 0, upper[i]);
    read_pair(words, places[2 * i], places[2 * i + 1], Patch::part_bytes, lower[i]);
  }
  uint32_t upper_weights[Tile::tiles][2];
  uint32_t lower_weights[Tile::tiles][2];
#pragma unroll
  for (int j = 0; j < Tile::tiles; ++j) {
    const uint4 four = weights[j * 32];
    upper_weights[j][0] = four.x, upper_weights[j][1] = four.y;
    lower_weights[j][0] = four.z, lower_weights[j][1] = four.w;
  }
  // Small terms first; all products of one kind together, since a chain on one accumulator waits for itself.
  mma_detail::for_each_product<kPairs, Tile::tiles>(
      [&](int i, int j) { ptx::mma_m16n8k16_fp16(sums[i][j], upper[i], lower_weights[j]); });
  mma_detail::for_each_product<kPairs, Tile::tiles>(
      [&](int i, int j) { ptx::mma_m16n8k16_fp16(sums[i][j], lower[i], upper_weights[j]); });
  mma_detail::for_each_product<kPairs, Tile::tiles>(
      [&](int i, int j) { ptx::mma_m16n8k16_fp16(sums[i][j], upper[i], upper_weights[j]); });
}

// Slices that are promoted together.
template <int kCount, int kPairs, typename Tile, typename Window>
__device__ __forceinline__ void add_slices_of_windows(const unsigned char* pixels, const int (&places)[2 * kPairs],
                                                      const uint4* weights, const int* offsets,
                                                      WindowSums<kPairs, Tile::tiles>& sums) {
  WindowSums<kPairs, Tile::tiles> partial = {};
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const int* const own = offsets + i * Stage<Tile, Window>::offsets_of_slice;
    multiply_slice_of_windows<kPairs, Tile, Window>({pixels + own[0], pixels + own[4]}, places,
                                                    weights + i * Stage<Tile, Window>::words_of_slice, partial);
  }
#pragma unroll
  for (int i = 0; i < kPairs * Tile::tiles * 4; ++i) {
    sums[i / 4 / Tile::tiles][i / 4 % Tile::tiles][i % 4] += partial[i / 4 / Tile::tiles][i / 4 % Tile::tiles][i % 4];
  }
}

template <int kPairs, typename Tile, typename Window>
__device__ __forceinline__ void multiply_windows(const unsigned char* pixels, const int (&places)[2 * kPairs],
                                                 const uint4* weights, const int* offsets,
                                                 WindowSums<kPairs, Tile::tiles>& sums) {
  using Patch = Stage<Tile, Window>;
  constexpr int kGroups = Patch::slices / kSlicesOfGroup;
  constexpr int kLeft = Patch::slices % kSlicesOfGroup;
#pragma unroll 1
  for (int group = 0; group < kGroups; ++group) {
    add_slices_of_windows<kSlicesOfGroup, kPairs, Tile, Window>(
        pixels, places, weights + group * kSlicesOfGroup * Patch::words_of_slice,
        offsets + group * kSlicesOfGroup * Patch::offsets_of_slice, sums);
  }
  if constexpr (kLeft > 0) {
    if constexpr (kGroups > 0) {
      __syncwarp();  // one group's operands at a time are in registers
    }
    add_slices_of_windows<kLeft, kPairs, Tile, Window>(
        pixels, places, weights + kGroups * kSlicesOfGroup * Patch::words_of_slice,
        offsets + kGroups * kSlicesOfGroup * Patch::offsets_of_slice, sums);
  }
}

}  // namespace direct_fp16_detail

}  // namespace stitch
