// SPDX-License-Identifier: Apache-2.0
// Systems of equations whose matrices are triangles: a block has some right-hand sides of one matrix in shared memory,
// and takes each solved row out of those that are left.
//   LoadA, LoadB: T operator()(int64_t row, int64_t column) const;       rows of all matrices, one behind the other
//   Store: void operator()(int64_t row, int64_t column, T value) const;
#pragma once

#include "kernels/linalg/workspace.cuh"

namespace stitch {

// `matrices` of `rows` rows, each with `columns` right-hand sides.
struct TriangularShape {
  int64_t matrices;
  int64_t rows;
  int64_t columns;
};

namespace linalg_detail {

constexpr int kMaxTile = 32;  // right-hand sides of a block

template <typename T>
int tile_of(const TriangularShape& shape) {
  const int64_t fit = kSharedBytes / (shape.rows * static_cast<int64_t>(sizeof(T)));
  const int64_t wanted = shape.columns < kMaxTile ? shape.columns : kMaxTile;
  return static_cast<int>(fit < wanted ? fit : wanted);
}

template <typename T, int kThreads, bool kUpper, bool kUnitriangular, typename LoadA, typename LoadB, typename Store>
__global__ void __launch_bounds__(kThreads)
    solve_triangular_kernel(LoadA load_a, LoadB load_b, Store store, TriangularShape shape, int tile) {
  extern __shared__ __align__(16) unsigned char shared_solutions[];
  T* x = reinterpret_cast<T*>(shared_solutions);
  const int64_t tiles = ceil_divide(shape.columns, tile);
  const int64_t first_row = static_cast<int64_t>(blockIdx.x) / tiles * shape.rows;
  const int64_t first_column = static_cast<int64_t>(blockIdx.x) % tiles * tile;
  const auto rows = static_cast<int>(shape.rows);
  const auto columns = static_cast<int>(shape.columns - first_column < tile ? shape.columns - first_column : tile);
  const auto thread = static_cast<int>(threadIdx.x);
  for (int place = thread; place < rows * columns; place += kThreads) {
    x[place] = load_b(first_row + place / columns, first_column + place % columns);
  }
  for (int step = 0; step < rows; ++step) {
    const int solved = kUpper ? rows - 1 - step : step;
    const int next = kUpper ? 0 : step + 1;  // the first row that is left
    __syncthreads();
    if constexpr (!kUnitriangular) {
      for (int column = thread; column < columns; column += kThreads) {
        x[solved * columns + column] /= load_a(first_row + solved, solved);
      }
      __syncthreads();
    }
    for (int place = thread; place < (rows - 1 - step) * columns; place += kThreads) {
      const int row = next + place / columns;
      const int column = place % columns;
      x[row * columns + column] -= load_a(first_row + row, solved) * x[solved * columns + column];
    }
  }
  __syncthreads();
  for (int place = thread; place < rows * columns; place += kThreads) {
    store(first_row + place / columns, first_column + place % columns, x[place]);
  }
}

}  // namespace linalg_detail

template <typename T, int kThreads, bool kUpper, bool kUnitriangular, typename LoadA, typename LoadB, typename Store>
cudaError_t launch_solve_triangular(const LoadA& load_a, const LoadB& load_b, const Store& store,
                                    const TriangularShape& shape, cudaStream_t stream) {
  if (shape.matrices == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const int tile = linalg_detail::tile_of<T>(shape);
  if (tile < 1) {
    return cudaErrorInvalidValue;
  }
  const auto bytes = static_cast<int>(tile * shape.rows * static_cast<int64_t>(sizeof(T)));
  auto* kernel = linalg_detail::solve_triangular_kernel<T, kThreads, kUpper, kUnitriangular, LoadA, LoadB, Store>;
  if (const cudaError_t error = allow_shared_memory(kernel, bytes); error != cudaSuccess) {
    return error;
  }
  const auto blocks = static_cast<unsigned>(shape.matrices * ceil_divide(shape.columns, static_cast<int64_t>(tile)));
  kernel<<<blocks, kThreads, bytes, stream>>>(load_a, load_b, store, shape, tile);
  return cudaGetLastError();
}

}  // namespace stitch
