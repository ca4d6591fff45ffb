// SPDX-License-Identifier: Apache-2.0
// TF32 tensor-core product, 16x16x8, operands rounded by the program and staged through shared memory.
#include <mma.h>

#include "check.h"

using namespace nvcuda;

__global__ void product(const float* a, const float* b, float* c, int k) {
  __shared__ float staged[2][16 * 8];
  wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> a_tile;
  wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> b_tile;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sums;
  wmma::fill_fragment(sums, 0.0f);
  for (int i = 0; i < k; i += 8) {
    for (int e = threadIdx.x; e < 128; e += 32) {
      staged[0][e] = a[e / 8 * k + i + e % 8];
      staged[1][e] = b[(i + e / 16) * 16 + e % 16];
    }
    __syncwarp();
    wmma::load_matrix_sync(a_tile, staged[0], 8);
    wmma::load_matrix_sync(b_tile, staged[1], 16);
    for (int e = 0; e < a_tile.num_elements; ++e) a_tile.x[e] = wmma::__float_to_tf32(a_tile.x[e]);
    for (int e = 0; e < b_tile.num_elements; ++e) b_tile.x[e] = wmma::__float_to_tf32(b_tile.x[e]);
    wmma::mma_sync(sums, a_tile, b_tile, sums);
    __syncwarp();
  }
  wmma::store_matrix_sync(c, sums, 16, wmma::mem_col_major);
}

int main() {
  const int k = 40;
  std::vector<float> a(16 * k), b(k * 16);
  for (int i = 0; i < 16 * k; ++i) {
    a[i] = (i * 13 % 37 - 18) / 8.0f;
    b[i] = (i * 17 % 41 - 20) / 16.0f;
  }
  std::vector<double> expected(256, 0.0);
  for (int r = 0; r < 16; ++r)
    for (int col = 0; col < 16; ++col)
      for (int i = 0; i < k; ++i) expected[col * 16 + r] += double(a[r * k + i]) * b[i * 16 + col];
  DeviceArray<float> da(a), db(b), dc(256);
  product<<<1, 32>>>(da.data, db.data, dc.data, k);
  expect_near(dc.get(), expected, 1e-5, "tf32");
  return pass();
}
