// SPDX-License-Identifier: Apache-2.0
// Where a block keeps the square matrix that it factors: in shared memory where it fits, else in memory of the launch.
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/real.cuh"

namespace stitch {

// Matrices of `columns` rows and as many columns, one behind the other.
struct SquareShape {
  int64_t matrices;
  int64_t columns;
};

namespace linalg_detail {

// A row may begin at any bank but that of its neighbour, so that the threads that read a column do not wait for each
// other.
__host__ __device__ inline int64_t row_stride(int64_t columns) { return columns | 1; }

constexpr int64_t kSharedBytes = 96 * 1024;

// Of a matrix that does not fit into shared memory; 0 of one that does.
template <typename T>
__host__ __device__ int64_t matrix_scratch_bytes(int64_t columns) {
  const int64_t bytes = columns * row_stride(columns) * static_cast<int64_t>(sizeof(T));
  return bytes <= kSharedBytes ? 0 : bytes;
}

// Of shared memory: the matrix, where it is kept there, and one column.
template <typename T>
int shared_bytes(int64_t columns) {
  const int64_t matrix = matrix_scratch_bytes<T>(columns) > 0 ? 0 : columns * row_stride(columns);
  return static_cast<int>((matrix + columns) * static_cast<int64_t>(sizeof(T)));
}

// The matrix of this block, and a column of its own.
template <typename T>
struct Workspace {
  T* matrix;
  T* column;
  int columns;
  int stride;

  __device__ __forceinline__ T& at(int row, int column_number) const { return matrix[row * stride + column_number]; }
};

template <typename T>
__device__ __forceinline__ Workspace<T> workspace(const SquareShape& shape, unsigned char* shared, void* scratch) {
  T* column = reinterpret_cast<T*>(shared);
  const auto columns = static_cast<int>(shape.columns);
  const auto stride = static_cast<int>(row_stride(shape.columns));
  T* matrix = matrix_scratch_bytes<T>(shape.columns) == 0
                  ? column + columns
                  : static_cast<T*>(scratch) + static_cast<int64_t>(blockIdx.x) * columns * stride;
  return {matrix, column, columns, stride};
}

// Calls visit(row, column) for the places of a matrix from `first` on, each by one thread of the block; neighbouring
// threads have neighbouring columns.
template <int kThreads, typename Visit>
__device__ __forceinline__ void for_each_place(int first, int rows, int columns, const Visit& visit) {
  constexpr int kWarps = kThreads / kWarpThreads;
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  for (int row = first + static_cast<int>(threadIdx.x) / kWarpThreads; row < rows; row += kWarps) {
    for (int column = first + lane; column < columns; column += kWarpThreads) {
      visit(row, column);
    }
  }
}

// A block for each matrix, which it keeps in its workspace.
template <typename T, int kThreads, typename Load, typename Store>
cudaError_t launch_block_each(void (*kernel)(Load, Store, SquareShape, void*), const Load& load, const Store& store,
                              const SquareShape& shape, void* scratch, cudaStream_t stream) {
  if (shape.matrices == 0) {
    return cudaSuccess;
  }
  const int bytes = shared_bytes<T>(shape.columns);
  if (const cudaError_t error = allow_shared_memory(kernel, bytes); error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(shape.matrices), kThreads, bytes, stream>>>(load, store, shape, scratch);
  return cudaGetLastError();
}

}  // namespace linalg_detail
}  // namespace stitch
