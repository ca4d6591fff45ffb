// SPDX-License-Identifier: Apache-2.0
// GEMM of float64, plain: a block of 16 x 16 threads makes as many results, one fused multiply-add a step, from tiles
// in shared memory. Shape, strides and epilogue as in kernels/gemm/operands.cuh, but that numbers are doubles.
#pragma once

#include "kernels/gemm/operands.cuh"

namespace stitch::double_precision {

constexpr int kTile = 16;

template <typename Epilogue>
__global__ void __launch_bounds__(kTile* kTile)
    gemm_kernel(GemmShape shape, StridedMatrix<double> lhs, StridedMatrix<double> rhs, int64_t row_tiles,
                int64_t column_tiles, Epilogue epilogue) {
  __shared__ double lhs_tile[kTile][kTile + 1];
  __shared__ double rhs_tile[kTile][kTile + 1];
  const int64_t block = blockIdx.x;
  const int64_t batch = block / (row_tiles * column_tiles);
  const int thread_row = threadIdx.x / kTile;
  const int thread_column = threadIdx.x % kTile;
  const int64_t row = block / column_tiles % row_tiles * kTile + thread_row;
  const int64_t column = block % column_tiles * kTile + thread_column;
  const double* rows = batch_start(lhs, batch, shape.levels()) + row * lhs.row_stride;
  const double* columns = batch_start(rhs, batch, shape.levels()) + column * rhs.column_stride;
  double sum = 0.0;
  for (int64_t start = 0; start < shape.k; start += kTile) {
    const int64_t k_of_lhs = start + thread_column;
    const int64_t k_of_rhs = start + thread_row;
    lhs_tile[thread_row][thread_column] =
        row < shape.m && k_of_lhs < shape.k ? rows[k_of_lhs * lhs.column_stride] : 0.0;
    rhs_tile[thread_row][thread_column] =
        column < shape.n && k_of_rhs < shape.k ? columns[k_of_rhs * rhs.row_stride] : 0.0;
    __syncthreads();
    const int64_t rest = shape.k - start;
    const int depth = rest < kTile ? static_cast<int>(rest) : kTile;
    for (int k = 0; k < depth; ++k) {
      sum = fma(lhs_tile[thread_row][k], rhs_tile[k][thread_column], sum);
    }
    __syncthreads();
  }
  if (row < shape.m && column < shape.n) {
    epilogue(batch, row, column, sum);
  }
}

template <typename Epilogue>
cudaError_t launch_gemm(const GemmShape& shape, const StridedMatrix<double>& lhs, const StridedMatrix<double>& rhs,
                        const Epilogue& epilogue, cudaStream_t stream) {
  const int64_t row_tiles = ceil_divide(shape.m, kTile);
  const int64_t column_tiles = ceil_divide(shape.n, kTile);
  const int64_t blocks = shape.batch * row_tiles * column_tiles;
  if (blocks == 0) {
    return cudaSuccess;
  }
  gemm_kernel<Epilogue>
      <<<static_cast<unsigned>(blocks), kTile * kTile, 0, stream>>>(shape, lhs, rhs, row_tiles, column_tiles, epilogue);
  return cudaGetLastError();
}

}  // namespace stitch::double_precision
