// SPDX-License-Identifier: Apache-2.0
// LU factors of small matrices with partial pivoting, a block each: the greatest of a column comes up, and multiples of
// its row are taken out of those below (Golub and Van Loan, Matrix Computations, 3.4.1).
//   Load:  T operator()(int64_t row, int64_t column) const;              rows of all matrices, one behind the other
//   Store: void operator()(int64_t row, int64_t column, T value) const;  one column more: which row of the matrix it
//   was
#pragma once

#include "kernels/linalg/workspace.cuh"

namespace stitch {
namespace linalg_detail {

// The row of the greatest element of a column from the diagonal on, of equal ones the first; NaN only where nothing
// else is left. Of the threads of one warp.
template <typename T>
__device__ __forceinline__ int pivot_of(const Workspace<T>& a, int step) {
  T greatest = T(-1);
  int place = step;
  for (int row = step + static_cast<int>(threadIdx.x); row < a.columns; row += kWarpThreads) {
    const T size = real::fabs(a.at(row, step));
    if (size > greatest) {
      greatest = size;
      place = row;
    }
  }
#pragma unroll
  for (int distance = kWarpThreads / 2; distance > 0; distance /= 2) {
    const T other = shuffle_xor(greatest, distance);
    const int other_place = shuffle_xor(place, distance);
    if (other > greatest || (other == greatest && other_place < place)) {
      greatest = other;
      place = other_place;
    }
  }
  return place;
}

// Row `step` for row `pivot`, with their numbers.
template <int kThreads, typename T>
__device__ __forceinline__ void exchange_rows(const Workspace<T>& a, int* numbers, int step, int pivot) {
  if (pivot == step) {
    return;
  }
  for (int column = static_cast<int>(threadIdx.x); column < a.columns; column += kThreads) {
    const T held = a.at(step, column);
    a.at(step, column) = a.at(pivot, column);
    a.at(pivot, column) = held;
  }
  if (threadIdx.x == 0) {
    const int held = numbers[step];
    numbers[step] = numbers[pivot];
    numbers[pivot] = held;
  }
}

constexpr int kMaxLuColumns = 512;

template <typename T, int kThreads, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads) lu_kernel(Load load, Store store, SquareShape shape, void* scratch) {
  extern __shared__ __align__(16) unsigned char shared_matrix[];
  __shared__ int numbers[kMaxLuColumns];
  __shared__ int pivot;
  const Workspace<T> a = workspace<T>(shape, shared_matrix, scratch);
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) * a.columns;
  for_each_place<kThreads>(0, a.columns, a.columns,
                           [&](int row, int column) { a.at(row, column) = load(first_row + row, column); });
  for (int row = static_cast<int>(threadIdx.x); row < a.columns; row += kThreads) {
    numbers[row] = row;
  }
  for (int step = 0; step < a.columns; ++step) {
    __syncthreads();
    if (threadIdx.x < kWarpThreads) {
      const int found = pivot_of(a, step);
      if (threadIdx.x == 0) {
        pivot = found;
      }
    }
    __syncthreads();
    exchange_rows<kThreads>(a, numbers, step, pivot);
    __syncthreads();
    const T divisor = a.at(step, step);
    for (int row = step + 1 + static_cast<int>(threadIdx.x); row < a.columns; row += kThreads) {
      // A pivot of 0 has nothing below it.
      a.column[row] = divisor == T(0) ? a.at(row, step) : a.at(row, step) / divisor;
      a.at(row, step) = a.column[row];
    }
    __syncthreads();
    for_each_place<kThreads>(step + 1, a.columns, a.columns,
                             [&](int row, int column) { a.at(row, column) -= a.column[row] * a.at(step, column); });
  }
  __syncthreads();
  for_each_place<kThreads>(0, a.columns, a.columns + 1, [&](int row, int column) {
    store(first_row + row, column, column < a.columns ? a.at(row, column) : static_cast<T>(numbers[row]));
  });
}

}  // namespace linalg_detail

// `scratch`: matrix_scratch_bytes<T>(columns) bytes for each matrix. At most 512 columns.
template <typename T, int kThreads, typename Load, typename Store>
cudaError_t launch_lu(const Load& load, const Store& store, const SquareShape& shape, void* scratch,
                      cudaStream_t stream) {
  if (shape.columns > linalg_detail::kMaxLuColumns) {
    return cudaErrorInvalidValue;
  }
  return linalg_detail::launch_block_each<T, kThreads>(linalg_detail::lu_kernel<T, kThreads, Load, Store>, load, store,
                                                       shape, scratch, stream);
}

}  // namespace stitch
