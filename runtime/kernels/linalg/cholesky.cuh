// SPDX-License-Identifier: Apache-2.0
// Cholesky factors of small matrices, a block each: column after column is divided by its root and taken out of what is
// left (Golub and Van Loan, Matrix Computations, 4.2.5).
//   Load:  T operator()(int64_t row, int64_t column) const;              rows of all matrices, one behind the other
//   Store: void operator()(int64_t row, int64_t column, T value) const;
#pragma once

#include "kernels/linalg/workspace.cuh"

namespace stitch {
namespace linalg_detail {

template <typename T, int kThreads, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads) cholesky_kernel(Load load, Store store, SquareShape shape, void* scratch) {
  extern __shared__ __align__(16) unsigned char shared_matrix[];
  const Workspace<T> a = workspace<T>(shape, shared_matrix, scratch);
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * a.columns;
  for_each_place<kThreads>(0, a.columns, a.columns, [&](int row, int column) {
    if (column <= row) {
      a.at(row, column) = load(first_row + row, column);
    }
  });
  for (int step = 0; step < a.columns; ++step) {
    __syncthreads();
    // The diagonal keeps the square until the end: others may still read it.
    const T root = real::sqrt(a.at(step, step));
    for (int row = step + 1 + static_cast<int>(threadIdx.x); row < a.columns; row += kThreads) {
      a.column[row] = a.at(row, step) / root;
      a.at(row, step) = a.column[row];
    }
    __syncthreads();
    for_each_place<kThreads>(step + 1, a.columns, a.columns, [&](int row, int column) {
      if (column <= row) {
        a.at(row, column) -= a.column[row] * a.column[column];
      }
    });
  }
  __syncthreads();
  for_each_place<kThreads>(0, a.columns, a.columns, [&](int row, int column) {
    store(first_row + row, column,
          column < row    ? a.at(row, column)
          : column == row ? real::sqrt(a.at(row, row))
                          : T(0));
  });
}

}  // namespace linalg_detail

// `scratch`: matrix_scratch_bytes<T>(columns) bytes for each matrix.
template <typename T, int kThreads, typename Load, typename Store>
cudaError_t launch_cholesky(const Load& load, const Store& store, const SquareShape& shape, void* scratch,
                            cudaStream_t stream) {
  return linalg_detail::launch_block_each<T, kThreads>(linalg_detail::cholesky_kernel<T, kThreads, Load, Store>, load,
                                                       store, shape, scratch, stream);
}

}  // namespace stitch
