// SPDX-License-Identifier: Apache-2.0
// Tiles of a 16-bit operand that is contiguous across K, for the tensor-core loop on pairs along K
// (kernels/gemm/mma_16bit.cuh): they come as they are stored, and ldmatrix transposes them into pairs on their way out.
#pragma once

#include "kernels/gemm/mma_operand.cuh"

namespace stitch {

// [k][outer] in 16-bit elements, kDepth pairs deep, in the space of kOuter x kDepth floats. The groups of 8 within a
// row are permuted by k: the eight rows that ldmatrix reads at once lie in different banks.
template <int kOuter, int kDepth>
struct HalfTileLayout {
  static_assert(kOuter == 32 || kOuter % 64 == 0, "the permutation is over rows that fill the banks wholly or by half");

  static __device__ __forceinline__ unsigned turn(unsigned k) { return kOuter == 32 ? k / 2 % 4 : k % 8; }

  // In elements of 16 bits.
  static __device__ __forceinline__ int offset(unsigned outer, unsigned k) {
    return static_cast<int>(k * kOuter + ((outer / 8) ^ turn(k)) * 8 + outer % 8);
  }

  // As MmaTileLayout's, k counted in pairs.
  template <bool kRowsFirst>
  class Reader {
   public:
    __device__ __forceinline__ Reader(int outer, unsigned lane) {
      const unsigned outer_half = kRowsFirst ? lane / 8 % 2 : lane / 16;
      const unsigned k_half = kRowsFirst ? lane / 16 : lane / 8 % 2;
      group_ = outer / 8 + outer_half;
      row_ = lane % 8 + k_half * 8;
    }

    __device__ __forceinline__ void load_16(float (&registers)[4], const float* tile, int block, int k) const {
      const unsigned group = (group_ + 2 * block) ^ turn(row_);
      uint32_t words[4];
      ptx::ldmatrix_x4_transposed(words, tile + ((row_ + 2 * k) * kOuter + group * 8) / 2);
#pragma unroll
      for (int word = 0; word < 4; ++word) {
        registers[word] = __uint_as_float(words[word]);
      }
    }

   private:
    unsigned group_;  // of 8 outer indices
    unsigned row_;    // along K, in elements
  };
};

// Straight from global to shared memory, 16 bytes a copy where kWide, else 4; zeros behind the end of either axis.
template <int kOuter, int kDepth, int kThreads, typename T, bool kWide>
class HalfAsyncOperand {
 public:
  static constexpr Layout layout = Layout::kContiguousOuter;
  using TileLayout = HalfTileLayout<kOuter, kDepth>;

  // k_end: in elements.
  __device__ __forceinline__ HalfAsyncOperand(const OperandView<T>& view, int64_t first_outer, int64_t k_end)
      : k_stride_(view.k_stride), k_end_(k_end) {
    const int64_t outer = first_outer + Part::outer(0);
    const int64_t rest = view.outer_extent - outer;
    valid_bytes_ = rest <= 0 ? 0 : static_cast<int>(rest < kWidth ? rest : kWidth) * 2;
    source_ = view.data + (valid_bytes_ > 0 ? outer : 0);
  }

  // k_start: in pairs.
  __device__ __forceinline__ void begin(float* tile, int64_t k_start) const {
    T* const elements = reinterpret_cast<T*>(tile);
    const int64_t first = 2 * k_start + Part::k(0);
#pragma unroll(kWide ? Part::kGroups : 4)
    for (int group = 0; group < Part::kGroups; ++group) {
      const int64_t k = first + group * Part::kStep;
      const bool inside = k < k_end_;
      const T* source = source_ + (inside ? k : 0) * k_stride_;
      T* target = elements + TileLayout::offset(Part::outer(group), Part::k(group));
      if constexpr (kWide) {
        ptx::cp_async_16(target, source, inside ? valid_bytes_ : 0);
      } else {
        ptx::cp_async_4(target, source, inside ? valid_bytes_ : 0);
      }
    }
  }

  __device__ __forceinline__ void finish(float*) const {}

 private:
  static constexpr int kWidth = kWide ? 8 : 2;
  using Part = TilePart<kOuter, 2 * kDepth, kThreads, layout, kWidth>;

  const T* source_;  // this thread's first column, at K = 0
  int64_t k_stride_;
  int64_t k_end_;
  int valid_bytes_;  // of each of its groups
};

}  // namespace stitch
