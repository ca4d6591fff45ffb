// SPDX-License-Identifier: Apache-2.0
// From a warp's sums to its outputs: all phases of a line of places beside each other through shared memory, to the
// epilogue by four where it takes them so; and again by plain arithmetic where a sum is not finite.
#pragma once

#include "kernels/conv/input_map.cuh"
#include "kernels/conv/patch.cuh"

namespace stitch {

namespace patch_detail {

// Where a warp's outputs lie: its first place, and its first channel of a group.
struct WarpPlace {
  PatchPlace place;
  int64_t group;
  int channel;
};

// What the epilogue takes, and what computes an output again.
template <typename Epilogue>
struct PatchFinish {
  ConvShape shape;
  const float* input;
  const float* weight;
  Epilogue epilogue;
  int in_channels;      // of a group
  int out_channels;     // of a group
  bool by_four;         // four neighbouring pixels are stored together
  bool by_two = false;  // two, where not four
};

// One output of a channel of a group by plain fp32 arithmetic. `map`: of kernels/conv/input_map.cuh.
template <typename Window, typename Epilogue, typename InputMap = AsStored>
__device__ float sum_patch_again(const PatchFinish<Epilogue>& finish, const PixelPlace& place, int64_t group,
                                 int64_t channel, const InputMap& map = {}) {
  using Z = typename PatchAxes<Window>::Z;
  using Y = typename PatchAxes<Window>::Y;
  using X = typename PatchAxes<Window>::X;
  const ConvShape& shape = finish.shape;
  const int64_t inputs = finish.in_channels;
  const int64_t plane = shape.depth * shape.height * shape.width;
  const float* const first = finish.input + (place.n * shape.in_channels + group * inputs) * plane;
  float sum = 0;
#pragma unroll 1
  for (int64_t k = 0; k < inputs * Window::taps; ++k) {
    const auto tap = static_cast<int>(k % Window::taps);
    const int z = Z::input(static_cast<int>(place.z), tap / (X::kernel * Y::kernel));
    const int y = Y::input(static_cast<int>(place.y), tap / X::kernel % Y::kernel);
    const int x = X::input(static_cast<int>(place.x), tap % X::kernel);
    if (z >= 0 && z < shape.depth && y >= 0 && y < shape.height && x >= 0 && x < shape.width) {
      const float value = first[k / Window::taps * plane + (z * shape.height + y) * shape.width + x];
      sum = fmaf(map(group * inputs + k / Window::taps, value),
                 finish.weight[weight_place<Window>(shape, group, channel, k / Window::taps) + tap], sum);
    }
  }
  return sum;
}

// All outputs of a warp by plain fp32 arithmetic: splitting or rounding an infinity made NaN, or may have.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_again(const PatchFinish<Epilogue>& finish, const WarpPlace& warp) {
  using Axes = PatchAxes<Window>;
  constexpr int kOutputs = Patch<Tile, Window>::outputs;
  const ConvShape& shape = finish.shape;
  const int channels = finish.out_channels;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int i = lane; i < Tile::channels * (Axes::phases / Axes::X::phases) * kOutputs; i += 32) {
    const int line = i / kOutputs % (Axes::phases / Axes::X::phases);
    const int channel = warp.channel + i / kOutputs / (Axes::phases / Axes::X::phases);
    const PixelPlace place{warp.place.image, Axes::Z::output(warp.place.z, line / Axes::Y::phases),
                           Axes::Y::output(warp.place.y, line % Axes::Y::phases),
                           Axes::X::output(warp.place.x, 0) + i % kOutputs};
    if (channel < channels && place.z < shape.out_depth && place.y < shape.out_height && place.x < shape.out_width) {
      finish.epilogue(place.n, warp.group * channels + channel,
                      (place.z * shape.out_height + place.y) * shape.out_width + place.x,
                      sum_patch_again<typename WindowFold<Window>::Original>(finish, place, warp.group, channel));
    }
  }
}

template <typename Tile, typename Window>
__device__ __forceinline__ bool are_all_finite(const PatchSums<Tile, Window>& sums) {
  float probe[4] = {};  // each 0, or NaN; none waits for the others
#pragma unroll
  for (int phase = 0; phase < PatchAxes<Window>::phases; ++phase) {
#pragma unroll
    for (int i = 0; i < Patch<Tile, Window>::tiles * 4; ++i) {
      probe[i % 4] = fmaf(sums[phase][i / 4 / Tile::tiles_n][i / 4 % Tile::tiles_n][i % 4], 0.0f, probe[i % 4]);
    }
  }
  return (probe[0] + probe[1]) + (probe[2] + probe[3]) == 0;
}

// Sixteen channels' sums of one row of places, all phases along x, are laid beside each other as they are stored.
template <typename Tile, typename Window>
__device__ __forceinline__ void stage_sums(const float (&sums)[PatchAxes<Window>::X::phases][Tile::tiles_n][4],
                                           float* staged) {
  constexpr int kPhases = PatchAxes<Window>::X::phases;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float* const row = staged + (lane / 4 + half * 8) * Patch<Tile, Window>::pitch + lane % 4 * 2 * kPhases;
#pragma unroll
    for (int j = 0; j < Tile::tiles_n; ++j) {
      float* const at = row + j * 8 * kPhases;
      if constexpr (kPhases == 1) {
        *reinterpret_cast<float2*>(at) = make_float2(sums[0][j][half * 2], sums[0][j][half * 2 + 1]);
      } else if constexpr (kPhases == 2) {
        *reinterpret_cast<float4*>(at) =
            make_float4(sums[0][j][half * 2], sums[1][j][half * 2], sums[0][j][half * 2 + 1], sums[1][j][half * 2 + 1]);
      } else {
#pragma unroll
        for (int i = 0; i < 2 * kPhases; ++i) {
          at[i] = sums[i % kPhases][j][half * 2 + i / kPhases];
        }
      }
    }
  }
}

// A line of outputs that is staged for sixteen channels, the first of them and of its pixels.
struct StagedLine {
  const float* staged;
  int64_t image;
  int64_t pixel;
  int64_t channel;
  int channels;  // that are there
  int pixels;    // likewise
};

// kIsWhole: all of the line is there, so that nothing keeps its outputs from being finished side by side.
template <typename Tile, typename Window, bool kIsWhole, typename Epilogue>
__device__ __forceinline__ void finish_line(const Epilogue& epilogue, const StagedLine& line) {
  using Source = Patch<Tile, Window>;
  constexpr int kUnrolled = Source::outputs > 64 ? 2 : 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll kUnrolled
  for (int i = 0; i < kRowsOfTile; ++i) {
#pragma unroll
    for (int part = 0; part < Source::outputs / 32; ++part) {
      const int j = part * 32 + lane;
      if (kIsWhole || (i < line.channels && j < line.pixels)) {
        epilogue(line.image, line.channel + i, line.pixel + j, line.staged[i * Source::pitch + j]);
      }
    }
  }
}

// The same, four neighbouring pixels together.
template <typename Tile, typename Window, bool kIsWhole, typename Epilogue>
__device__ __forceinline__ void finish_line_by_four(const Epilogue& epilogue, const StagedLine& line) {
  using Source = Patch<Tile, Window>;
  constexpr int kFoursOfRow = Source::outputs / kLanes;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x) % 32; i < kRowsOfTile * kFoursOfRow; i += 32) {
    const int row = i / kFoursOfRow;
    const int pixel = i % kFoursOfRow * kLanes;
    if (kIsWhole || (row < line.channels && pixel < line.pixels)) {
      const float4 four = *reinterpret_cast<const float4*>(line.staged + row * Source::pitch + pixel);
      epilogue.template lanes<kLanes>(line.image, line.channel + row, line.pixel + pixel,
                                      {four.x, four.y, four.z, four.w});
    }
  }
}

template <typename Tile, typename Window, bool kIsWhole, typename Epilogue>
__device__ __forceinline__ void finish_staged(const PatchFinish<Epilogue>& finish, const StagedLine& line) {
  if constexpr (requires { finish.epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{}); }) {
    if (finish.by_four) {
      finish_line_by_four<Tile, Window, kIsWhole>(finish.epilogue, line);
      return;
    }
  }
  finish_line<Tile, Window, kIsWhole>(finish.epilogue, line);
}

template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void store_warp(const PatchFinish<Epilogue>& finish, const WarpPlace& warp,
                                           const PatchSums<Tile, Window>& sums, float* staged) {
  using Axes = PatchAxes<Window>;
  constexpr int kAcross = Axes::X::phases;
  const ConvShape& shape = finish.shape;
  const int first_x = Axes::X::output(warp.place.x, 0);
  const auto pixels = static_cast<int>(shape.out_width) - first_x;
  const bool is_whole = pixels >= Patch<Tile, Window>::outputs && warp.channel + Tile::channels <= finish.out_channels;
#pragma unroll
  for (int i = 0; i < Tile::tiles_m; ++i) {
#pragma unroll
    for (int line = 0; line < Axes::phases / kAcross; ++line) {
      float of_line[kAcross][Tile::tiles_n][4];
#pragma unroll
      for (int k = 0; k < kAcross * Tile::tiles_n * 4; ++k) {
        of_line[k / 4 / Tile::tiles_n][k / 4 % Tile::tiles_n][k % 4] =
            sums[line * kAcross + k / 4 / Tile::tiles_n][i][k / 4 % Tile::tiles_n][k % 4];
      }
      __syncwarp();  // all have read what is written over
      stage_sums<Tile, Window>(of_line, staged);
      __syncwarp();
      const int z = Axes::Z::output(warp.place.z, line / Axes::Y::phases);
      const int y = Axes::Y::output(warp.place.y, line % Axes::Y::phases);
      if (z >= shape.out_depth || y >= shape.out_height) {
        continue;  // as all of the warp
      }
      const int first = warp.channel + i * kRowsOfTile;
      const StagedLine outputs{staged,
                               warp.place.image,
                               (z * shape.out_height + y) * shape.out_width + first_x,
                               warp.group * finish.out_channels + first,
                               finish.out_channels - first,
                               pixels};
      if (is_whole) {
        finish_staged<Tile, Window, true>(finish, outputs);
      } else {
        finish_staged<Tile, Window, false>(finish, outputs);
      }
    }
  }
}

template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_warp(const PatchFinish<Epilogue>& finish, const WarpPlace& warp,
                                            const PatchSums<Tile, Window>& sums, float* staged) {
  if (__all_sync(kFullWarp, are_all_finite<Tile, Window>(sums))) {
    store_warp<Tile, Window>(finish, warp, sums, staged);
  } else {
    finish_again<Tile, Window>(finish, warp);
  }
}

// What becomes of a warp's sums: specialised for what is joined before it is stored, or kept from patch to patch.
template <typename Epilogue>
struct WarpFinish {
  template <typename Tile, typename Window>
  __device__ __forceinline__ void finish(const PatchFinish<Epilogue>& finish, const WarpPlace& warp,
                                         const PatchSums<Tile, Window>& sums, float* staged) {
    finish_warp<Tile, Window>(finish, warp, sums, staged);
  }
};

}  // namespace patch_detail

}  // namespace stitch
