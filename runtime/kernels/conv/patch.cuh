// SPDX-License-Identifier: Apache-2.0
// The patch of the input under a block of places, in shared memory beside its weights, and how a block's threads copy
// it there: aligned runs of four elements, a slice of planes at a time: eight input channels, or words of two.
#pragma once

#include "kernels/conv/patch_weights.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Output channels of a block, by sixteens; a warp's places beside each other, by eights; and rows of places: four warps
// lie below each other, or beside where there is one row.
template <int kTilesOfChannels, int kTilesOfPlaces, int kRows = 4>
struct PatchTile {
  static constexpr int threads = 128;
  static constexpr int warps = threads / 32;
  static constexpr int rows = kRows;
  static constexpr int across = warps / kRows;
  static constexpr int tiles_m = kTilesOfChannels;
  static constexpr int tiles_n = kTilesOfPlaces;
  static constexpr int channels = tiles_m * patch_detail::kRowsOfTile;
  static constexpr int columns = tiles_n * 8;  // a warp's
};

namespace patch_detail {

constexpr int kLanes = 4;

constexpr int round_up_to_lanes(int elements) { return (elements + kLanes - 1) / kLanes * kLanes; }

template <typename Tile, typename Window>
struct Patch {
  using Axes = PatchAxes<Window>;
  static constexpr int depth = Axes::Z::extent(1);
  static constexpr int height = Axes::Y::extent(Tile::rows);
  // Rows begin at an element whose number along x is a multiple of four, so that four are copied at a time.
  static constexpr int lead = (Axes::X::origin % kLanes + kLanes) % kLanes;
  using Fold = WindowFold<Window>;
  static constexpr int width =
      round_up_to_lanes(lead + Axes::X::extent(Tile::across * Tile::columns) + (Fold::fold - 1) * Fold::step);
  static constexpr int elements = depth * height * width;  // of one plane, that of an input channel or of two
  // Of a slice. Where taps are folded, its other words are the same planes' neighbouring places.
  static constexpr int planes = kSlice / Fold::fold;
  // Four planes' eight neighbouring places lie in 32 different banks, as do two planes' nine.
  static constexpr int apart = planes == 2 ? 16 : 8;
  static constexpr int plane = (elements + 31 - apart) / 32 * 32 + apart;
  static constexpr int floats = planes * plane;
  // A lane's second word of a slice lies four words behind its first.
  static constexpr int second = planes > 4 ? 4 * plane : 4 / planes* Fold::step;
  // A warp's outputs of sixteen channels and one phase of rows.
  static constexpr int outputs = Tile::columns * Axes::X::phases;
  static constexpr int pitch = outputs + (Axes::X::phases == 2 ? 16 : 8);
  static constexpr int staged = kRowsOfTile * pitch;
  static constexpr int tiles = Tile::tiles_m * Tile::tiles_n;
};

// Of shared memory, a block's share where so many are on a multiprocessor.
constexpr int room_of_blocks(int count) {
  constexpr int kKibibytes[] = {226, 112, 74, 55, 44};
  return kKibibytes[count - 1] << 10;
}

// Blocks of a multiprocessor: as many as their sums leave registers for, and their patches shared memory, where a block
// of few sums may also take the share of one that has more.
template <typename Policy, typename Tile, typename Window>
struct PatchBlocks {
  using Source = Patch<Tile, Window>;
  static constexpr int sums = Source::tiles * PatchAxes<Window>::phases;
  static constexpr int bytes = (2 * Source::floats + Tile::warps * Source::staged) * static_cast<int>(sizeof(float));
  static constexpr int of_registers = sums > 16 ? 2 : !kIsScaled<Policy> || sums > 8 ? 3 : sums > 4 ? 4 : 5;
  static constexpr int of_memory = bytes > room_of_blocks(2) ? 1 : bytes > room_of_blocks(3) ? 2 : of_registers;
  static constexpr int count = of_memory < of_registers ? of_memory : of_registers;
  static constexpr int room = room_of_blocks(count);
};

// What of the weights is in shared memory: all of a block's, one slice and the next, or nothing, where they come
// through the L1 cache.
template <typename Policy, typename Tile, typename Window>
struct PatchMemory {
  using Source = Patch<Tile, Window>;
  static constexpr int lanes_of_tap = 32 * kParts<Policy>;
  static constexpr int words_of_tile = Window::taps * lanes_of_tap;  // of sixteen channels, each of four floats
  static constexpr int words_of_slice = Tile::tiles_m * words_of_tile;
  static constexpr int room = PatchBlocks<Policy, Tile, Window>::room;
  static constexpr int bytes = PatchBlocks<Policy, Tile, Window>::bytes;
  static constexpr int bytes_of_slice = words_of_slice * static_cast<int>(sizeof(uint4));
  static constexpr bool has_weights = bytes + 2 * bytes_of_slice <= room;

  static __host__ __device__ bool has_all_weights(int64_t slices) { return bytes + slices * bytes_of_slice <= room; }
  static __host__ int shared_bytes(int64_t slices) {
    const int64_t held = has_all_weights(slices) ? slices : 2;
    return bytes + (has_weights ? static_cast<int>(held) * bytes_of_slice : 0);
  }
};

template <typename Tile, typename Window>
using PatchSums = MmaSums<Tile::tiles_m, Tile::tiles_n>[PatchAxes<Window>::phases];

// The first place of a patch.
struct PatchPlace {
  int64_t image;
  int z;
  int y;
  int x;
};

// What a thread copies of each patch: runs of four elements of a row, each of some planes of a slice.
template <typename Tile, typename Window>
class PatchCopy {
 public:
  // The runs that lie at the patch's places in a plane of the input.
  __device__ __forceinline__ void move_to(const Planes& planes, const PatchPlace& place) {
    const int first_z = Axes::Z::first_input(place.z);
    const int first_y = Axes::Y::first_input(place.y);
    const int first_x = Axes::X::first_input(place.x) - Source::lead;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      const int run = number(i) % kRuns;
      const int x = first_x + run % kRunsOfRow * kLanes;
      const int y = first_y + run / kRunsOfRow % Source::height;
      const int z = first_z + run / (kRunsOfRow * Source::height);
      const bool is_row = static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth) &&
                          static_cast<unsigned>(y) < static_cast<unsigned>(planes.height);
      inside_[i] = 0;
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        inside_[i] |= is_row && static_cast<unsigned>(x + lane) < static_cast<unsigned>(planes.width) ? 1 << lane : 0;
      }
      offset_[i] = (z * planes.height + y) * planes.width + x;
    }
  }

  // `input`: of the first plane of the slice, of which `count` are there.
  __device__ __forceinline__ void copy(const Planes& planes, const float* input, int count, float* patch) const {
    if (planes.width % kLanes == 0 && reinterpret_cast<uintptr_t>(input) % sizeof(float4) == 0) {
      copy_by<kLanes>(planes, input, count, patch);
    } else {
      copy_by<1>(planes, input, count, patch);
    }
  }

  // What this thread has copied.
  static __device__ __forceinline__ void round(float* patch) {
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      if (number(i) >= kRuns * kSplits) {
        break;
      }
      float* const at = patch + number(i) / kRuns * kOwnPlanes * Source::plane + number(i) % kRuns * kLanes;
#pragma unroll
      for (int plane = 0; plane < kOwnPlanes; ++plane) {
        auto& four = *reinterpret_cast<float4*>(at + plane * Source::plane);
        four = make_float4(rounded(four.x), rounded(four.y), rounded(four.z), rounded(four.w));
      }
    }
  }

 private:
  using Source = Patch<Tile, Window>;
  using Axes = PatchAxes<Window>;
  static constexpr int kRunsOfRow = Source::width / kLanes;
  static constexpr int kRuns = Source::elements / kLanes;
  // Few runs are shared by several threads, each with its planes.
  static constexpr int splits_of(int most) {
    return most == 1 || kRuns * most <= Tile::threads ? most : splits_of(most / 2);
  }
  static constexpr int kSplits = splits_of(Source::planes);
  static constexpr int kOwnPlanes = Source::planes / kSplits;
  static constexpr int kOwn = (kRuns * kSplits + Tile::threads - 1) / Tile::threads;

  static __device__ __forceinline__ int number(int i) { return static_cast<int>(threadIdx.x) + i * Tile::threads; }
  static __device__ __forceinline__ float rounded(float value) {
    return __uint_as_float(mma_detail::rounded_tf32(value));
  }

  // kTogether: elements of an aligned run, all of which are inside or none.
  template <int kTogether>
  __device__ __forceinline__ void copy_by(const Planes& planes, const float* input, int count, float* patch) const {
    constexpr int kUnrolled = kTogether > 1 ? kOwnPlanes : 1;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      if (number(i) >= kRuns * kSplits) {
        break;
      }
      const int first = number(i) / kRuns * kOwnPlanes;
      float* to = patch + first * Source::plane + number(i) % kRuns * kLanes;
      const float* from = input + first * planes.plane_stride + offset_[i];
#pragma unroll kUnrolled
      for (int plane = 0; plane < kOwnPlanes; ++plane) {
        const int inside = first + plane < count ? inside_[i] : 0;
        if constexpr (kTogether == kLanes) {
          ptx::cp_async_16(to, inside != 0 ? from : input, inside != 0 ? 16 : 0);
        } else {
#pragma unroll
          for (int lane = 0; lane < kLanes; ++lane) {
            const bool is_there = (inside >> lane & 1) != 0;
            ptx::cp_async_4_or_zero(to + lane, is_there ? from + lane : input, is_there);
          }
        }
        to += Source::plane;
        from += planes.plane_stride;
      }
    }
  }

  int offset_[kOwn];  // from the start of a plane
  int inside_[kOwn];  // of its four elements, a bit each
};

}  // namespace patch_detail

}  // namespace stitch
