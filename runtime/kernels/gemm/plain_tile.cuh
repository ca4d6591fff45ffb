// SPDX-License-Identifier: Apache-2.0
// A tile of a product in plain fp32, inside of a kernel whose parts of operands do not hold what they were made of.
#pragma once

#include "kernels/gemm/mma_operand.cuh"
#include "kernels/gemm/raster.cuh"
#include "ptx/warpgroup.cuh"

namespace stitch {

constexpr int kPlainDepth = 8;  // of a slice

template <int kRows, int kColumns>
constexpr int kPlainSliceFloats = (kRows + kColumns) * kPlainDepth;

// `slice`: kPlainSliceFloats of shared memory. `staged`: kStride between rows. By kThreads threads, which meet at the
// barrier kBarrier.
template <int kRows, int kColumns, int kStride, int kThreads, int kBarrier>
__device__ __forceinline__ void multiply_plainly(float* staged, float* slice, const OperandView<float>& lhs,
                                                 const OperandView<float>& rhs, const BlockPlace& place) {
  constexpr int kSide = 16;  // threads stand in rows of so many
  constexpr int kThreadRows = kThreads / kSide;
  static_assert(kRows % kThreadRows == 0 && kColumns % kSide == 0);
  float sums[kRows / kThreadRows][kColumns / kSide] = {};
  const int row = static_cast<int>(threadIdx.x) / kSide;
  const int column = static_cast<int>(threadIdx.x) % kSide;
  for (int64_t k = place.k_begin; k < place.k_end; k += kPlainDepth) {
    for (int i = threadIdx.x; i < kPlainSliceFloats<kRows, kColumns>; i += kThreads) {
      const bool is_lhs = i < kRows * kPlainDepth;
      const OperandView<float>& operand = is_lhs ? lhs : rhs;
      const int in_operand = is_lhs ? i : i - kRows * kPlainDepth;
      const int64_t outer = (is_lhs ? place.row : place.column) + in_operand % (is_lhs ? kRows : kColumns);
      const int64_t at = k + in_operand / (is_lhs ? kRows : kColumns);
      const bool is_inside = outer < operand.outer_extent && at < place.k_end;
      slice[i] = is_inside ? operand.data[outer * operand.outer_stride + at * operand.k_stride] : 0.0f;
    }
    ptx::barrier_of_threads<kBarrier, kThreads>();
#pragma unroll
    for (int step = 0; step < kPlainDepth; ++step) {
      const float* of_lhs = slice + step * kRows + row;
      const float* of_rhs = slice + kRows * kPlainDepth + step * kColumns + column;
#pragma unroll
      for (int i = 0; i < kRows / kThreadRows; ++i) {
#pragma unroll
        for (int j = 0; j < kColumns / kSide; ++j) {
          sums[i][j] = fmaf(of_lhs[i * kThreadRows], of_rhs[j * kSide], sums[i][j]);
        }
      }
    }
    ptx::barrier_of_threads<kBarrier, kThreads>();
  }
#pragma unroll
  for (int i = 0; i < kRows / kThreadRows; ++i) {
#pragma unroll
    for (int j = 0; j < kColumns / kSide; ++j) {
      staged[(row + i * kThreadRows) * kStride + column + j * kSide] = sums[i][j];
    }
  }
}

}  // namespace stitch
