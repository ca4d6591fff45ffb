// SPDX-License-Identifier: Apache-2.0
// Tile loaders that gather the input of a convolution: every thread stays with one output pixel and walks along k, so
// that a warp reads neighbouring pixels and the pixel's place is found once. What depends on k alone comes from a table
// in shared memory.
#pragma once

#include "kernels/conv/gemm_view.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Where element k of a window lies from its corner, for k up to one tile beyond the first channel, and which row and
// column of the window it is: bits to compare with the pixel's. Offsets are 32-bit: see reaches().
template <typename Window, int kDepth>
struct WindowTable {
  struct __align__(8) Entry {
    uint32_t offset;
    uint32_t bits;
  };
  static constexpr int kMostSide = 16;  // of the window: bits for its rows and columns
  static constexpr bool kFits = Window::kernel_y <= kMostSide && Window::kernel_x <= kMostSide;
  static constexpr int kEntries = kFits ? Window::taps + kDepth : 1;

  Entry entries[kEntries];

  static __host__ bool reaches(const Conv2dShape& shape) {
    const int64_t channels = kEntries / Window::taps + 1;
    return shape.height < (int64_t{1} << 30) / shape.width / channels;
  }

  static __device__ __forceinline__ uint32_t bits_of(unsigned window_y, unsigned window_x) {
    return 1u << (kMostSide + window_y) | 1u << window_x;
  }

  // By all threads of the block, which must meet at a barrier before the first use.
  __device__ __forceinline__ void fill(const ConvInput<Window>& input) {
    if constexpr (kFits) {
      for (unsigned k = threadIdx.x; k < static_cast<unsigned>(kEntries); k += blockDim.x) {
        const unsigned tap = k % Window::taps;
        const unsigned window_y = tap / Window::kernel_x;
        const unsigned window_x = tap % Window::kernel_x;
        entries[k].offset =
            static_cast<uint32_t>(k / Window::taps * input.plane_stride +
                                  int64_t{window_y} * Window::dilation_y * input.width + window_x * Window::dilation_x);
        entries[k].bits = bits_of(window_y, window_x);
      }
    }
  }
};

// One output pixel: where its window starts, and which of its rows and columns lie inside the image.
template <typename Window, int kDepth>
class GatherPixel {
 public:
  using Table = WindowTable<Window, kDepth>;

  __device__ __forceinline__ GatherPixel(const ConvInput<Window>& input, const Table& table, int64_t pixel,
                                         int64_t pixels)
      : input_(input), table_(table), inside_(pixel < pixels), corner_(input.corner(inside_ ? pixel : 0)) {
    start_ = corner_.image + int64_t{corner_.y} * input.width + corner_.x;
    if (Table::kFits && inside_) {
#pragma unroll
      for (int window_y = 0; window_y < Window::kernel_y; ++window_y) {
        const int y = corner_.y + window_y * Window::dilation_y;
        bits_ |=
            static_cast<unsigned>(y) < static_cast<unsigned>(input.height) ? 1u << (Table::kMostSide + window_y) : 0;
      }
#pragma unroll
      for (int window_x = 0; window_x < Window::kernel_x; ++window_x) {
        const int x = corner_.x + window_x * Window::dilation_x;
        bits_ |= static_cast<unsigned>(x) < static_cast<unsigned>(input.width) ? 1u << window_x : 0;
      }
    }
  }

  // Where a tile starts: its channel, and its place in the table.
  struct Start {
    const float* channel;
    uint32_t k;  // in the table, or in all where the window is too large for one
  };

  __device__ __forceinline__ Start start(int64_t k_start) const {
    const auto k = static_cast<uint32_t>(k_start);
    if constexpr (Table::kFits) {
      return {start_ + k / Window::taps * input_.plane_stride, k % Window::taps};
    } else {
      return {nullptr, k};
    }
  }

  // valid: whether there is an element, or padding. The address is good only then.
  __device__ __forceinline__ const float* source(const Start& start, int k, bool& valid) const {
    if constexpr (Table::kFits) {
      const auto entry = table_.entries[start.k + k];
      valid = (entry.bits & ~bits_) == 0;
      return start.channel + entry.offset;
    } else {
      const float* source = inside_ ? input_.source(corner_, start.k + k) : nullptr;
      valid = source != nullptr;
      return source;
    }
  }

 private:
  const ConvInput<Window>& input_;
  const Table& table_;
  bool inside_;
  typename ConvInput<Window>::Corner corner_;
  const float* start_;
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
template <int kPixels, int kDepth, int kThreads, typename Window>
class FfmaGather {
 public:
  static constexpr int kStride = kPixels + 4;
  using Table = WindowTable<Window, kDepth>;

  __device__ __forceinline__ FfmaGather(const ConvInput<Window>& input, const Table& table, int64_t first_pixel,
                                        int64_t pixels, int64_t k_end)
      : pixel_(input, table, first_pixel + Part::pixel(), pixels), k_end_(k_end) {}

  __device__ __forceinline__ void fetch(int64_t k_start) {
    const auto start = pixel_.start(k_start);
    const int64_t rest = k_end_ - k_start;
    const int depth = rest < kDepth ? static_cast<int>(rest) : kDepth;
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      bool valid;
      const float* source = pixel_.source(start, Part::k(row), valid);
      values_[row] = valid && Part::k(row) < depth ? *source : 0.0f;
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

  GatherPixel<Window, kDepth> pixel_;
  int64_t k_end_;
  float values_[Part::kRows];
};

// For kernels/gemm/mma_mainloop.cuh.
template <int kPixels, int kDepth, int kThreads, typename Window>
class MmaGather {
 public:
  static constexpr Layout layout = Layout::kContiguousOuter;
  using Table = WindowTable<Window, kDepth>;

  __device__ __forceinline__ MmaGather(const ConvInput<Window>& input, const Table& table, int64_t first_pixel,
                                       int64_t pixels, int64_t k_end)
      : input_(input), pixel_(input, table, first_pixel + Part::pixel(), pixels), k_end_(k_end) {}

  __device__ __forceinline__ void begin(float* tile, int64_t k_start) const {
    if (k_start + kDepth <= k_end_) {
      copy<Part::kRows>(tile, k_start, kDepth);
    } else {
      copy<1>(tile, k_start, static_cast<int>(k_end_ - k_start));
    }
  }

  __device__ __forceinline__ void finish(float*) const {}

  __device__ __forceinline__ float element(int64_t pixel, int64_t k) const {
    const float* source = input_.source(input_.corner(pixel), static_cast<uint32_t>(k));
    return source != nullptr ? *source : 0.0f;
  }

 private:
  using Part = GatherPart<kPixels, kDepth, kThreads>;

  template <int kUnrolled>
  __device__ __forceinline__ void copy(float* tile, int64_t k_start, int depth) const {
    const auto start = pixel_.start(k_start);
#pragma unroll(kUnrolled)
    for (int row = 0; row < Part::kRows; ++row) {
      bool valid;
      const float* source = pixel_.source(start, Part::k(row), valid);
      float* target = tile + MmaTileLayout<kPixels, kDepth, layout>::offset(Part::pixel(), Part::k(row));
      ptx::cp_async_4_or_zero(target, source, valid && (kUnrolled > 1 || Part::k(row) < depth));
    }
  }

  const ConvInput<Window>& input_;
  GatherPixel<Window, kDepth> pixel_;
  int64_t k_end_;
};

}  // namespace stitch
