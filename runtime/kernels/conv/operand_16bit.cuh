// SPDX-License-Identifier: Apache-2.0
// Tile loaders for convolutions of 16-bit operands, which travel as bits: two neighbours along k make one word of the
// tile, by way of registers since no asynchronous copy is narrower than 4 bytes. k is counted in words where a tile is
// meant, in elements where memory is; behind the last element are zeros.
#pragma once

#include "kernels/conv/operand.cuh"
#include "kernels/gemm/mma_operand.cuh"

namespace stitch {

// Windows around pixels, as MmaGather; Source::Element is uint16_t.
template <int kPixels, int kWords, int kThreads, typename Source>
class MmaPairGather {
 public:
  static constexpr Layout layout = Layout::kContiguousOuter;
  using Table = WindowTable<Source, 2 * kWords>;

  __device__ __forceinline__ MmaPairGather(const Source& source, const Table& table, int64_t first_pixel,
                                           int64_t pixels, int64_t last_element)
      : pixel_(source, table, first_pixel + Part::pixel(), pixels), last_element_(last_element) {}

  __device__ __forceinline__ void begin(float*, int64_t k_start) {
    const auto start = pixel_.start(2 * k_start);
    const int64_t rest = last_element_ - 2 * k_start;
    const int depth = rest < 2 * kWords ? static_cast<int>(rest) : 2 * kWords;
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      const int k = 2 * Part::k(row);
      words_[row] = bits(start, k, depth) | bits(start, k + 1, depth) << 16;
    }
  }

  __device__ __forceinline__ void finish(float* tile) const {
#pragma unroll
    for (int row = 0; row < Part::kRows; ++row) {
      tile[MmaTileLayout<kPixels, kWords, layout>::offset(Part::pixel(), Part::k(row))] = __uint_as_float(words_[row]);
    }
  }

 private:
  using Part = GatherPart<kPixels, kWords, kThreads>;
  using Pixel = GatherPixel<Source, 2 * kWords>;

  __device__ __forceinline__ uint32_t bits(const typename Pixel::Start& start, int k, int depth) const {
    bool valid;
    const uint16_t* address = pixel_.address(start, k, valid);
    return valid && k < depth ? *address : 0;
  }

  Pixel pixel_;
  int64_t last_element_;
  uint32_t words_[Part::kRows];
};

// Rows of `depth` elements of any alignment; those beyond the last row are zeros.
template <int kRows, int kWords, int kThreads>
class MmaPairRows {
 public:
  static constexpr Layout layout = Layout::kContiguousK;

  __device__ __forceinline__ MmaPairRows(const uint16_t* data, int64_t depth, int64_t first_row, int64_t rows,
                                         int64_t last_element)
      : data_(data + first_row * depth), depth_(depth), rows_(rows - first_row), last_element_(last_element) {}

  __device__ __forceinline__ void begin(float*, int64_t k_start) {
#pragma unroll
    for (int group = 0; group < Part::kGroups; ++group) {
      const int row = Part::outer(group);
      const int64_t k = 2 * (k_start + Part::k(group));
      const uint16_t* source = data_ + row * depth_ + k;
      const int64_t rest = row < rows_ ? last_element_ - k : 0;
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        const uint32_t lower = 2 * lane < rest ? source[2 * lane] : 0;
        const uint32_t upper = 2 * lane + 1 < rest ? source[2 * lane + 1] : 0;
        groups_[group][lane] = __uint_as_float(lower | upper << 16);
      }
    }
  }

  __device__ __forceinline__ void finish(float* tile) const {
#pragma unroll
    for (int group = 0; group < Part::kGroups; ++group) {
      store_lanes(tile + MmaTileLayout<kRows, kWords, layout>::offset(Part::outer(group), Part::k(group)),
                  groups_[group]);
    }
  }

 private:
  static constexpr int kLanes = 4;
  using Part = TilePart<kRows, kWords, kThreads, layout>;

  const uint16_t* data_;
  int64_t depth_;
  int64_t rows_;
  int64_t last_element_;
  Lanes<float, kLanes> groups_[Part::kGroups];
};

}  // namespace stitch
