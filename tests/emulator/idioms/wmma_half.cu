// SPDX-License-Identifier: Apache-2.0
// Tensor-core products by wmma: fp16 and bf16 operands, fp32 accumulators, row- and column-major, an epilogue over the
// fragment's elements.
#include <mma.h>

#include "check.h"

using namespace nvcuda;

// c = relu(a b + 1), one warp per 16x16 tile of c; a is m x k row-major, b is k x n column-major.
template <typename T>
__global__ void product(const T* a, const T* b, float* c, int m, int n, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> a_tile;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> b_tile;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
  wmma::fill_fragment(sums, 1.0f);
  const int row = blockIdx.y * 16, column = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(a_tile, a + row * k + i, k);
    wmma::load_matrix_sync(b_tile, b + column * k + i, k);
    wmma::mma_sync(sums, a_tile, b_tile, sums);
  }
  for (int i = 0; i < sums.num_elements; ++i) sums.x[i] = fmaxf(sums.x[i], 0.0f);
  wmma::store_matrix_sync(c + row * n + column, sums, n, wmma::mem_row_major);
}

template <typename T, typename Convert>
void test(Convert convert, const char* what) {
  const int m = 32, n = 64, k = 48;
  std::vector<T> a, b;
  std::vector<double> expected(m * n, 1.0);
  auto a_at = [&](int r, int i) { return ((r * 7 + i * 3) % 11 - 5) * 0.25f; };
  auto b_at = [&](int i, int col) { return ((i * 5 + col * 2) % 9 - 4) * 0.5f; };
  for (int r = 0; r < m; ++r)
    for (int i = 0; i < k; ++i) a.push_back(convert(a_at(r, i)));
  for (int col = 0; col < n; ++col)
    for (int i = 0; i < k; ++i) b.push_back(convert(b_at(i, col)));
  for (int r = 0; r < m; ++r)
    for (int col = 0; col < n; ++col) {
      for (int i = 0; i < k; ++i) expected[r * n + col] += a_at(r, i) * b_at(i, col);
      expected[r * n + col] = std::fmax(expected[r * n + col], 0.0);
    }
  DeviceArray<T> da(a), db(b);
  DeviceArray<float> dc(m * n);
  product<T><<<dim3(n / 32, m / 16), dim3(32, 2)>>>(da.data, db.data, dc.data, m, n, k);
  expect_near(dc.get(), expected, 1e-5, what);
}

int main() {
  test<__half>([](float x) { return __float2half(x); }, "half");
  test<__nv_bfloat16>([](float x) { return __float2bfloat16(x); }, "bfloat16");
  return pass();
}
