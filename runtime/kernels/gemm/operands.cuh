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

struct BatchLevels {
  int64_t inner = 1;
  int64_t middle = 1;
};

// Diagonals (column - row) outside of which the epilogue takes nothing of the sums, as in the triangle of a product:
// tiles that have no others are not multiplied. The epilogue is called for them too, with zeros.
struct KeptDiagonals {
  static constexpr int64_t kAll = int64_t{1} << 62;

  int64_t least = -kAll;
  int64_t greatest = kAll;

  // Of rows and columns from the first to the last one.
  __host__ __device__ bool any(int64_t row, int64_t last_row, int64_t column, int64_t last_column) const {
    return last_column - row >= least && column - last_row <= greatest;
  }
};

struct GemmShape {
  int64_t batch;
  int64_t m;
  int64_t n;
  int64_t k;
  // Batches of levels (heads inside a batch, one of them broadcast): of a batch index the remainder by inner_batch
  // steps by inner_batch_stride, that of the quotient by middle_batch steps by middle_batch_stride, and what is left by
  // batch_stride.
  int64_t inner_batch = 1;
  int64_t middle_batch = 1;
  bool epilogue_vectorised = false;
  KeptDiagonals kept = {};

  __host__ __device__ BatchLevels levels() const { return {inner_batch, middle_batch}; }
};

template <typename T>
struct StridedMatrix {
  const T* data;
  int64_t batch_stride;   // 0 broadcasts
  int64_t row_stride;     // lhs: stride of m; rhs: stride of k
  int64_t column_stride;  // lhs: stride of k; rhs: stride of n
  int64_t inner_batch_stride = 0;
  int64_t middle_batch_stride = 0;
};

template <typename T>
__device__ __forceinline__ const T* batch_start(const StridedMatrix<T>& matrix, int64_t batch, BatchLevels levels) {
  const T* start = matrix.data;
  if (levels.inner != 1) {
    start += batch % levels.inner * matrix.inner_batch_stride;
    batch /= levels.inner;
  }
  if (levels.middle != 1) {
    start += batch % levels.middle * matrix.middle_batch_stride;
    batch /= levels.middle;
  }
  return start + batch * matrix.batch_stride;
}

// True when groups of 4 along the contiguous axis, starting at a multiple of 4, are aligned everywhere.
template <typename T>
__host__ bool groups_aligned(const StridedMatrix<T>& matrix, int64_t other_stride) {
  return lanes_aligned(matrix.data, matrix.batch_stride, matrix.inner_batch_stride, matrix.middle_batch_stride,
                       other_stride);
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
