// SPDX-License-Identifier: Apache-2.0
// Ways to store the outputs of a convolution by patches, for its bench: as the skeleton does it, and others where rows
// begin anywhere.
#pragma once

#include "kernels/conv/patch_mma.cuh"
#include "store_pixel.cuh"

namespace stitch_bench {

// kReadFirst: what is staged is read before the first of it is stored. kClamped: likewise, and lanes behind the end of
// a row store its last element again. kRuns: a channel's neighbouring rows are one run, of which whole aligned fours
// are stored together.
enum class StoreKind { kToday, kReadFirst, kClamped, kRuns };

template <StoreKind kKind>
struct StoreScaled {
  StorePixel store;
  const float* bias;

  template <int kLanes>
  __device__ void lanes(int64_t n, int64_t channel, int64_t pixel, const stitch::Lanes<float, kLanes>& values) const {
    stitch::Lanes<float, kLanes> stored;
    for (int lane = 0; lane < kLanes; ++lane) {
      stored[lane] = values[lane] * 0.5f + __ldg(bias + channel);
    }
    store.template lanes<kLanes>(n, channel, pixel, stored);
  }
  __device__ void operator()(int64_t n, int64_t channel, int64_t pixel, float value) const {
    lanes<1>(n, channel, pixel, {value});
  }
};

}  // namespace stitch_bench

namespace stitch::patch_detail {

template <typename Tile, typename Window, bool kIsClamped, typename Epilogue>
__device__ __forceinline__ void finish_line_read_first(const Epilogue& epilogue, const StagedLine& line) {
  using Source = Patch<Tile, Window>;
  constexpr int kRowsAtOnce = 8;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int first = 0; first < kRowsOfTile && first < line.channels; first += kRowsAtOnce) {
#pragma unroll
    for (int part = 0; part < Source::outputs / 32; ++part) {
      const int j = part * 32 + lane;
      const int pixel = kIsClamped ? min(j, line.pixels - 1) : j;
      if (part * 32 >= line.pixels) {
        continue;
      }
      float values[kRowsAtOnce];
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        values[i] = line.staged[(first + i) * Source::pitch + pixel];
      }
#pragma unroll
      for (int i = 0; i < kRowsAtOnce; ++i) {
        if (first + i < line.channels && (kIsClamped || j < line.pixels)) {
          epilogue(line.image, line.channel + first + i, line.pixel + pixel, values[i]);
        }
      }
    }
  }
}

template <typename Tile, typename Window, bool kIsWhole>
__device__ __forceinline__ void finish_line(const stitch_bench::StoreScaled<stitch_bench::StoreKind::kReadFirst>& store,
                                            const StagedLine& line) {
  finish_line_read_first<Tile, Window, false>(store, line);
}

template <typename Tile, typename Window, bool kIsWhole>
__device__ __forceinline__ void finish_line(const stitch_bench::StoreScaled<stitch_bench::StoreKind::kClamped>& store,
                                            const StagedLine& line) {
  finish_line_read_first<Tile, Window, true>(store, line);
}

// Eight channels' rows of one plane, `rows` of them, each `width` wide, that follow each other in memory.
struct StagedRuns {
  int64_t image;
  int64_t pixel;
  int64_t channel;
  int channels;  // that are there
  int elements;  // of a run
};

// A run lies as far behind a multiple of four in shared memory as it does in the output.
template <int kPitch, int kFours, typename Store>
__device__ __forceinline__ void store_runs(const Store& store, const StagedRuns& runs, int shift_of_plane,
                                           int shift_of_first, const float* staged) {
  constexpr int kRounds = (8 * kFours + 31) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const int number = round * 32 + lane;
    const int row = number / kFours;
    const int four = number % kFours;
    const int shift = (shift_of_first + row * shift_of_plane) % 4;
    const int at = four * 4 - shift;  // in the run
    if (row >= runs.channels || row >= 8 || at >= runs.elements) {
      continue;
    }
    const float4 values = *reinterpret_cast<const float4*>(staged + row * kPitch + four * 4);
    if (at >= 0 && at + 4 <= runs.elements) {
      store.template lanes<4>(runs.image, runs.channel + row, runs.pixel + at,
                              {values.x, values.y, values.z, values.w});
      continue;
    }
    const float all[4] = {values.x, values.y, values.z, values.w};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (at + i >= 0 && at + i < runs.elements) {
        store(runs.image, runs.channel + row, runs.pixel + at + i, all[i]);
      }
    }
  }
}

// All lines of a plane where the warp has whole rows, one where it has parts.
template <typename Tile, typename Window, typename Store>
__device__ __forceinline__ void finish_runs(const PatchFinish<Store>& finish, const WarpPlace& warp,
                                            const PatchSums<Tile, Window>& sums, float* staged) {
  using Axes = PatchAxes<Window>;
  using Source = Patch<Tile, Window>;
  constexpr int kAcross = Axes::X::phases;
  constexpr int kLines = Axes::Y::phases;
  static_assert(kLines <= 2);
  // Of eight channels.
  constexpr int kPitch = 2 * Source::pitch;
  constexpr int kFours = kLines * Source::outputs / 4 + 1;
  static_assert(kFours * 4 <= kPitch);
  const ConvShape& shape = finish.shape;
  if (!__all_sync(kFullWarp, are_all_finite<Tile, Window>(sums))) {
    finish_again<Tile, Window>(finish, warp);
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_x = Axes::X::output(warp.place.x, 0);
  const auto width = static_cast<int>(shape.out_width);
  const int own = min(width - first_x, Source::outputs);
  const int shift_of_plane = static_cast<int>(shape.out_depth * shape.out_height * shape.out_width % 4);
  const bool is_whole = first_x == 0 && width <= Source::outputs;
  const int first_y = Axes::Y::output(warp.place.y, 0);
  const int down = min(static_cast<int>(shape.out_height) - first_y, kLines);
  if (own <= 0 || down <= 0) {
    return;
  }
  const int runs_of_plane = is_whole ? 1 : kLines;  // else each line alone
#pragma unroll
  for (int z = 0; z < Axes::Z::phases; ++z) {
    const int out_z = Axes::Z::output(warp.place.z, z);
    if (out_z >= shape.out_depth) {
      continue;
    }
#pragma unroll
    for (int i = 0; i < Tile::tiles_m; ++i) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int channel = warp.channel + i * kRowsOfTile + half * 8;
#pragma unroll
        for (int run = 0; run < kLines; ++run) {
          if (run >= runs_of_plane || run >= down) {
            continue;
          }
          const int lines = is_whole ? down : 1;
          const int64_t pixel = (int64_t{out_z} * shape.out_height + first_y + run) * shape.out_width + first_x;
          const int64_t first_channel = warp.group * finish.out_channels + channel;
          const int shift_of_first = static_cast<int>(
              ((warp.place.image * shape.out_channels + first_channel) % 4 * shift_of_plane + pixel) % 4);
          const int shift = (shift_of_first + lane / 4 * shift_of_plane) % 4;
          float* const row = staged + lane / 4 * kPitch + shift;
          __syncwarp();
#pragma unroll
          for (int line = 0; line < kLines; ++line) {
#pragma unroll
            for (int k = 0; k < Tile::tiles_n * 2 * kAcross; ++k) {
              const int j = k / (2 * kAcross);
              const int x = k % (2 * kAcross);
              const int at = (j * 4 + lane % 4) * 2 * kAcross + x;
              const bool is_own = is_whole ? line < lines : line == run;
              if (is_own && at < own) {
                row[(is_whole ? line * width : 0) + at] =
                    sums[(z * kLines + line) * kAcross + x % kAcross][i][j][half * 2 + x / kAcross];
              }
            }
          }
          __syncwarp();
          store_runs<kPitch, kFours>(
              finish.epilogue,
              StagedRuns{warp.place.image, pixel, first_channel, finish.out_channels - channel, lines * own},
              shift_of_plane, shift_of_first, staged);
        }
      }
    }
  }
}

template <>
struct WarpFinish<stitch_bench::StoreScaled<stitch_bench::StoreKind::kRuns>> {
  template <typename Tile, typename Window, typename Finish>
  static __device__ __forceinline__ void finish(const Finish& finish, const WarpPlace& warp,
                                                const PatchSums<Tile, Window>& sums, float* staged) {
    finish_runs<Tile, Window>(finish, warp, sums, staged);
  }
};

}  // namespace stitch::patch_detail
