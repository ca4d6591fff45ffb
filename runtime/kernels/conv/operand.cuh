// SPDX-License-Identifier: Apache-2.0
// Tile loaders that gather the input of a convolution: every thread stays with one output pixel and walks along k, so
// that a warp reads neighbouring pixels and the pixel's place is found once. What depends on k alone comes from a table
// in shared memory. The weights of a transposed convolution are gathered so too, a "pixel" then being an output
// channel.
#pragma once

#include "kernels/conv/pixels.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Where element k of a window lies from its corner, for k up to one tile beyond the first channel, and which plane, row
// and column of the window it is: bits to compare with the pixel's. Offsets are 32-bit: see reaches().
// Source: ConvInput and the like (`Element`, `Grid`, `most_side`, `planes`, corner(), has_tap()).
template <typename Source, int kDepth>
struct WindowTable {
  using Grid = typename Source::Grid;
  struct __align__(8) Entry {
    int32_t offset;
    uint32_t bits;
  };
  static constexpr int kMostSide = Source::most_side;  // of the window: bits for its planes, rows and columns
  static constexpr int kMostTaps = 512;                // shared memory
  static constexpr bool kFits =
      Grid::taps_z <= kMostSide && Grid::taps_y <= kMostSide && Grid::taps_x <= kMostSide && Grid::taps <= kMostTaps;
  static constexpr int kEntries = kFits ? Grid::taps + kDepth : 1;
  static constexpr uint32_t kNever = ~0u;  // no pixel has all bits

  Entry entries[kEntries];

  static __host__ bool reaches(const Planes& planes) {
    const int64_t channels = kEntries / Grid::taps + 1;
    return planes.plane_stride < (int64_t{1} << 30) / channels;
  }

  static __device__ __forceinline__ uint32_t bit_z(int tap) {
    return Grid::rank == 3 ? 1u << (2 * kMostSide % 32 + tap) : 0;
  }
  static __device__ __forceinline__ uint32_t bit_y(int tap) { return 1u << (kMostSide + tap); }
  static __device__ __forceinline__ uint32_t bit_x(int tap) { return 1u << tap; }

  // By all threads of the block, which must meet at a barrier before the first use.
  __device__ __forceinline__ void fill(const Source& source) {
    if constexpr (kFits) {
      for (unsigned k = threadIdx.x; k < static_cast<unsigned>(kEntries); k += blockDim.x) {
        const auto tap = static_cast<int>(k % Grid::taps);
        const int z = tap / (Grid::taps_y * Grid::taps_x);
        const int y = tap / Grid::taps_x % Grid::taps_y;
        const int x = tap % Grid::taps_x;
        entries[k].offset =
            static_cast<int32_t>(k / Grid::taps * source.planes.plane_stride +
                                 source.planes.offset(z * Grid::step_z, y * Grid::step_y, x * Grid::step_x));
        entries[k].bits = source.has_tap(z, y, x) ? bit_z(z) | bit_y(y) | bit_x(x) : kNever;
      }
    }
  }
};

// One output pixel: where its window starts, and which of its planes, rows and columns lie inside.
template <typename Source, int kDepth>
class GatherPixel {
 public:
  using Element = typename Source::Element;
  using Grid = typename Source::Grid;
  using Table = WindowTable<Source, kDepth>;

  __device__ __forceinline__ GatherPixel(const Source& source, const Table& table, int64_t pixel, int64_t pixels)
      : source_(source), table_(table), inside_(pixel < pixels), corner_(source.corner(inside_ ? pixel : 0)) {
    start_ = corner_.planes + source.planes.offset(corner_.z, corner_.y, corner_.x);
    if (Table::kFits && inside_) {
      mark_inside();
    }
  }

  // Where a tile starts: its channel, and its place in the table.
  struct Start {
    const Element* channel;
    uint32_t k;  // in the table, or in all where the window is too large for one
  };

  __device__ __forceinline__ Start start(int64_t k_start) const {
    const auto k = static_cast<uint32_t>(k_start);
    if constexpr (Table::kFits) {
      return {start_ + k / Grid::taps * source_.planes.plane_stride, k % Grid::taps};
    } else {
      return {nullptr, k};
    }
  }

  // valid: whether there is an element, or padding. The address is good only then.
  __device__ __forceinline__ const Element* address(const Start& start, int k, bool& valid) const {
    if constexpr (Table::kFits) {
      const auto entry = table_.entries[start.k + k];
      valid = (entry.bits & ~bits_) == 0;
      return start.channel + entry.offset;
    } else {
      const Element* address = inside_ ? gathered(source_, corner_, start.k + k) : nullptr;
      valid = address != nullptr;
      return address;
    }
  }

 private:
  __device__ __forceinline__ void mark_inside() {
    const Planes& planes = source_.planes;
#pragma unroll
    for (int tap = 0; tap < Grid::taps_z; ++tap) {
      const int z = corner_.z + tap * Grid::step_z;
      bits_ |= static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth) ? Table::bit_z(tap) : 0;
    }
#pragma unroll
    for (int tap = 0; tap < Grid::taps_y; ++tap) {
      const int y = corner_.y + tap * Grid::step_y;
      bits_ |= static_cast<unsigned>(y) < static_cast<unsigned>(planes.height) ? Table::bit_y(tap) : 0;
    }
#pragma unroll
    for (int tap = 0; tap < Grid::taps_x; ++tap) {
      const int x = corner_.x + tap * Grid::step_x;
      bits_ |= static_cast<unsigned>(x) < static_cast<unsigned>(planes.width) ? Table::bit_x(tap) : 0;
    }
  }

  const Source& source_;
  const Table& table_;
  bool inside_;
  Corner<Element> corner_;
  const Element* start_;
  uint32_t bits_ = 0;
};

template <int kPixels, int kDepth, int kThreads>
struct GatherPart {
  static_assert(kThreads % kPixels == 0, "every thread stays with one pixel");
  static constexpr int kStep = kThreads / kPixels;
  static_assert(kDepth % kStep == 0, "every thread gathers whole rows");
  static constexpr int kRows = kDepth / kStep;

  static __device__ __forceinline__ int pixel() { return static_cast<int>(threadIdx.x % kPixels); }
  // The remainder tells the compiler how few values there are.
  static __device__ __forceinline__ int k(int row) {
    return static_cast<int>(threadIdx.x % kThreads / kPixels) + row * kStep;
  }
};

// For kernels/gemm/ffma_mainloop.cuh.
template <int kPixels, int kDepth, int kThreads, typename Source>
class FfmaGather {
 public:
  static constexpr int kStride = kPixels + 4;
  using Table = WindowTable<Source, kDepth>;

  __device__ __forceinline__ FfmaGather(const Source& source, const Table& table, int64_t first_pixel, int64_t pixels,
                                        int64_t k_end)
      : pixel_(source, table, first_pixel + Part::pixel(), pixels), k_end_(k_end) {}

  __device__ __forceinline__ void fetch(int64_t k_start) {
    const auto start = pixel_.start(k_start);
    const int64_t rest = k_end_ - k_start;
    const int depth = rest < kDepth ? static_cast<int>(rest) : kDepth;
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      bool valid;
      const auto* address = pixel_.address(start, Part::k(row), valid);
      values_[row] = valid && Part::k(row) < depth ? to_float(*address) : 0.0f;
    }
  }

  __device__ __forceinline__ void deposit(float* tile) const {
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      tile[Part::k(row) * kStride + Part::pixel()] = values_[row];
    }
  }

 private:
  using Part = GatherPart<kPixels, kDepth, kThreads>;

  GatherPixel<Source, kDepth> pixel_;
  int64_t k_end_;
  float values_[Part::kRows];
};

// For kernels/gemm/mma_mainloop.cuh.
template <int kPixels, int kDepth, int kThreads, typename Source>
class MmaGather {
 public:
  static constexpr Layout layout = Layout::kContiguousOuter;
  using Table = WindowTable<Source, kDepth>;

  __device__ __forceinline__ MmaGather(const Source& source, const Table& table, int64_t first_pixel, int64_t pixels,
                                       int64_t k_end)
      : source_(source), pixel_(source, table, first_pixel + Part::pixel(), pixels), k_end_(k_end) {}

  __device__ __forceinline__ void begin(float* tile, int64_t k_start) const {
    if (k_start + kDepth <= k_end_) {
      copy<Part::kRows>(tile, k_start, kDepth);
    } else {
      copy<1>(tile, k_start, static_cast<int>(k_end_ - k_start));
    }
  }

  __device__ __forceinline__ void finish(float*) const {}

  __device__ __forceinline__ float element(int64_t pixel, int64_t k) const {
    const float* address = gathered(source_, source_.corner(pixel), static_cast<uint32_t>(k));
    return address != nullptr ? *address : 0.0f;
  }

 private:
  using Part = GatherPart<kPixels, kDepth, kThreads>;

  template <int kUnrolled>
  __device__ __forceinline__ void copy(float* tile, int64_t k_start, int depth) const {
    const auto start = pixel_.start(k_start);
#pragma unroll(kUnrolled)
    for (int row = 0; row < Part::kRows; ++row) {
      bool valid;
      const float* address = pixel_.address(start, Part::k(row), valid);
      float* target = tile + MmaTileLayout<kPixels, kDepth, layout>::offset(Part::pixel(), Part::k(row));
      ptx::cp_async_4_or_zero(target, address, valid && (kUnrolled > 1 || Part::k(row) < depth));
    }
  }

  const Source& source_;
  GatherPixel<Source, kDepth> pixel_;
  int64_t k_end_;
};

}  // namespace stitch
