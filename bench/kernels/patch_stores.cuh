// SPDX-License-Identifier: Apache-2.0
// Ways to store the outputs of a convolution by patches, for its bench: as the skeleton does it, and others where rows
// begin anywhere.
#pragma once

#include "kernels/conv/patch_mma.cuh"
#include "store_pixel.cuh"

namespace stitch_bench {

// kReadFirst: what is staged is read before the first of it is stored. kClamped: likewise, and lanes behind the end of
// a row store its last element again. kRuns: of each row whole aligned fours are stored together, then its ends.
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

struct DenseTile : stitch::PatchTile<1, 2> {};

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

// Sixteen channels' sums of a line, each row as far behind a multiple of four as it lies in the output.
template <typename Tile, typename Window>
__device__ __forceinline__ void stage_shifted(const PatchSums<Tile, Window>& sums, int line, int i, int shift,
                                              int shift_of_channel, float* staged) {
  constexpr int kAcross = PatchAxes<Window>::X::phases;
  constexpr int kPitch = Patch<Tile, Window>::outputs + 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = lane / 4 + half * 8;
    float* const at = staged + row * kPitch + (shift + row * shift_of_channel) % 4 + lane % 4 * 2 * kAcross;
#pragma unroll
    for (int k = 0; k < Tile::tiles_n * 2 * kAcross; ++k) {
      const int x = k % (2 * kAcross);
      at[k / (2 * kAcross) * 8 * kAcross + x] =
          sums[line * kAcross + x % kAcross][i][k / (2 * kAcross)][half * 2 + x / kAcross];
    }
  }
}

// Whole aligned fours of each row together, and then what is left at both ends.
template <int kOutputs, typename Store>
__device__ __forceinline__ void store_shifted(const Store& store, const StagedLine& line, int shift,
                                              int shift_of_channel) {
  constexpr int kPitch = kOutputs + 4;
  constexpr int kFours = kOutputs / 4;
  constexpr int kEnds = 8;  // places of a row's ends, three at most of either
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int pixels = min(line.pixels, kOutputs);
#pragma unroll 4
  for (int number = lane; number < kRowsOfTile * kFours; number += 32) {
    const int row = number / kFours;
    const int own = (shift + row * shift_of_channel) % 4;
    const int four = number % kFours * 4;
    if (row < line.channels && four >= own && four + 4 <= own + pixels) {
      const float4 values = *reinterpret_cast<const float4*>(line.staged + row * kPitch + four);
      store.template lanes<4>(line.image, line.channel + row, line.pixel + four - own,
                              {values.x, values.y, values.z, values.w});
    }
  }
#pragma unroll
  for (int number = lane; number < kRowsOfTile * kEnds; number += 32) {
    const int row = number / kEnds;
    const int own = (shift + row * shift_of_channel) % 4;
    const int place = number % 4;
    const int last = (own + pixels) / 4 * 4;
    const int at = number % kEnds < 4 ? place : last + place;
    const bool is_end = number % kEnds < 4 ? own > 0 && place >= own : place < (own + pixels) % 4;
    if (row < line.channels && is_end) {
      store(line.image, line.channel + row, line.pixel + at - own, line.staged[row * kPitch + at]);
    }
  }
}

template <typename Tile, typename Window, typename Store>
__device__ __forceinline__ void finish_runs(const PatchFinish<Store>& finish, const WarpPlace& warp,
                                            const PatchSums<Tile, Window>& sums, float* staged) {
  using Axes = PatchAxes<Window>;
  const ConvShape& shape = finish.shape;
  if (!__all_sync(kFullWarp, are_all_finite<Tile, Window>(sums))) {
    finish_again<Tile, Window>(finish, warp);
    return;
  }
  const int first_x = Axes::X::output(warp.place.x, 0);
  const auto pixels = static_cast<int>(shape.out_width) - first_x;
  const int64_t plane = shape.out_depth * shape.out_height * shape.out_width;
  const auto shift_of_channel = static_cast<int>(plane % 4);
#pragma unroll
  for (int line = 0; line < Axes::phases / Axes::X::phases; ++line) {
    const int z = Axes::Z::output(warp.place.z, line / Axes::Y::phases);
    const int y = Axes::Y::output(warp.place.y, line % Axes::Y::phases);
    if (z >= shape.out_depth || y >= shape.out_height || pixels <= 0) {
      continue;  // as all of the warp
    }
#pragma unroll
    for (int i = 0; i < Tile::tiles_m; ++i) {
      const int channel = warp.channel + i * kRowsOfTile;
      const StagedLine outputs{staged,
                               warp.place.image,
                               (z * shape.out_height + y) * shape.out_width + first_x,
                               warp.group * finish.out_channels + channel,
                               finish.out_channels - channel,
                               pixels};
      const auto shift =
          static_cast<int>(((warp.place.image * shape.out_channels + outputs.channel) * plane + outputs.pixel) % 4);
      __syncwarp();
      stage_shifted<Tile, Window>(sums, line, i, shift, shift_of_channel, staged);
      __syncwarp();
      store_shifted<Patch<Tile, Window>::outputs>(finish.epilogue, outputs, shift, shift_of_channel);
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

// Of which four blocks are on a multiprocessor.
template <typename Policy, typename Window>
struct PatchBlocks<Policy, stitch_bench::DenseTile, Window> : PatchBlocks<Policy, PatchTile<1, 2>, Window> {
  static constexpr int count = 4;
  static constexpr int room = room_of_blocks(count);
};

}  // namespace stitch::patch_detail
