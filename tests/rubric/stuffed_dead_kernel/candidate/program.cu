// SPDX-License-Identifier: Apache-2.0
// A naive product, and a kernel full of the right words that nothing launches.
#include <cuda_fp16.h>
#include <mma.h>

#include "linear_relu.h"

__global__ void impressive(const __half* a, const __half* b, float* c) {
  __shared__ float4 tile[256];
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  tile[threadIdx.x] = make_float4(0, 0, 0, 0);
  __syncthreads();
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

static int run_program(const Call& call) { return honest(call); }
