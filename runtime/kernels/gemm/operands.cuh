// SPDX-License-Identifier: Apache-2.0
// What the GEMM skeletons take:
// result[batch][i][j] = epilogue(batch, i, j, sum over k of prologue(lhs[batch][i][k]) * rhs[batch][k][j]).
//
// Epilogue: void operator()(int64_t batch, int64_t row, int64_t column, float accumulator) const;
//   optionally also template <int kLanes> void lanes(int64_t batch, int64_t row, int64_t column,
//                                                    const Lanes<float, kLanes>& accumulators) const;
//   with 4 neighbouring columns; used where GemmShape::epilogue_vectorised says that the epilogue's tensors are
//   aligned for it (n % 4 == 0 and lanes_aligned()).
// Prologue of lhs: float operator()(int64_t batch, int64_t row, int64_t k, float value) const; called inside lhs only.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

struct GemmShape {
  int64_t batch;
  int64_t m;
  int64_t n;
  int64_t k;
  // Two-level batches (heads inside a batch, one of them broadcast): batch index i is (i / inner_batch,
  // i % inner_batch), and an operand's offset is quotient * batch_stride + remainder * inner_batch_stride.
  int64_t inner_batch = 1;
  bool epilogue_vectorised = false;
};

template <typename T>
struct StridedMatrix {
  const T* data;
  int64_t batch_stride;   // 0 broadcasts
  int64_t row_stride;     // lhs: stride of m; rhs: stride of k
  int64_t column_stride;  // lhs: stride of k; rhs: stride of n
  int64_t inner_batch_stride = 0;
};

template <typename T>
__device__ __forceinline__ const T* batch_start(const StridedMatrix<T>& matrix, int64_t batch, int64_t inner_batch) {
  if (inner_batch == 1) {
    return matrix.data + batch * matrix.batch_stride;
  }
  return matrix.data + batch / inner_batch * matrix.batch_stride + batch % inner_batch * matrix.inner_batch_stride;
}

// True when groups of 4 along the contiguous axis, starting at a multiple of 4, are aligned everywhere.
template <typename T>
__host__ bool groups_aligned(const StridedMatrix<T>& matrix, int64_t other_stride) {
  return lanes_aligned(matrix.data, matrix.batch_stride, matrix.inner_batch_stride, other_stride);
}

// Which axis of an operand has stride 1. K-contiguous: lhs row-major (m, k), rhs as linear's weight (n, k).
enum class Layout {
  kContiguousK,      // lhs.column_stride == 1; rhs.row_stride == 1
  kContiguousOuter,  // lhs.row_stride == 1 (m); rhs.column_stride == 1 (n)
};

struct NoPrologue {
  __device__ __forceinline__ float operator()(int64_t, int64_t, int64_t, float value) const { return value; }
};

}  // namespace stitch
