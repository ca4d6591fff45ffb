// SPDX-License-Identifier: Apache-2.0
// GEMM of float64, plain: a block of 16 x 16 threads makes as many results, one fused multiply-add a step, from tiles
// in shared memory. Shape, strides and epilogue as in kernels/gemm/operands.cuh, but that numbers are doubles.
#pragma once

#include "kernels/gemm/operands.cuh"

namespace stitch::double_precision {

constexpr int kTile = 16;

template <typename Epilogue>
__global__ void __launch_bounds__(kTile* kTile)
    gemm_kernel(GemmShape shape, StridedMatrix<double> a, StridedMatrix<double> b, int64_t row_tiles,
                int64_t column_tiles, Epilogue epilogue) {
  __shared__ double tile_a[kTile][kTile + 1];
  __shared__ double tile_b[kTile][kTile + 1];
  const int64_t block = blockIdx.x;
  const int64_t batch = block / (row_tiles * column_tiles);
  const int thread_row = threadIdx.x / kTile;
  const int thread_column = threadIdx.x % kTile;
  const int64_t row = block / column_tiles % row_tiles * kTile + thread_row;
  const int64_t column = block % column_tiles * kTile + thread_column;
  const double* rows = batch_start(a, batch, shape.inner_batch) + row * a.row_stride;
  const double* columns = batch_start(b, batch, shape.inner_batch) + column * b.column_stride;
  double sum = 0.0;
  for (int64_t start = 0; start < shape.k; start += kTile) {
    const int64_t k_of_a = start + thread_column;
    const int64_t k_of_b = start + thread_row;
    tile_a[thread_row][thread_column] = row < shape.m && k_of_a < shape.k ? rows[k_of_a * a.column_stride] : 0.0;
    tile_b[thread_row][thread_column] = column < shape.n && k_of_b < shape.k ? columns[k_of_b * b.row_stride] : 0.0;
    __syncthreads();
    const int64_t rest = shape.k - start;
    const int depth = rest < kTile ? static_cast<int>(rest) : kTile;
    for (int k = 0; k < depth; ++k) {
      sum = fma(tile_a[thread_row][k], tile_b[k][thread_column], sum);
    }
    __syncthreads();
  }
  if (row < shape.m && column < shape.n) {
    epilogue(batch, row, column, sum);
  }
}

template <typename Epilogue>
cudaError_t launch_gemm(const GemmShape& shape, const StridedMatrix<double>& a, const StridedMatrix<double>& b,
                        const Epilogue& epilogue, cudaStream_t stream) {
  const int64_t row_tiles = ceil_divide(shape.m, kTile);
  const int64_t column_tiles = ceil_divide(shape.n, kTile);
  const int64_t blocks = shape.batch * row_tiles * column_tiles;
  if (blocks == 0) {
    return cudaSuccess;
  }
  gemm_kernel<Epilogue>
      <<<static_cast<unsigned>(blocks), kTile * kTile, 0, stream>>>(shape, a, b, row_tiles, column_tiles, epilogue);
  return cudaGetLastError();
}

}  // namespace stitch::double_precision
