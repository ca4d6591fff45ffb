// SPDX-License-Identifier: Apache-2.0
// Threads that return before a barrier the others still use, at the tail of a grid.
#include <algorithm>

#include "check.h"

__global__ void neighbour_sum(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  const int last = min(static_cast<int>(blockDim.x), n - static_cast<int>(blockIdx.x * blockDim.x)) - 1;
  out[i] = tile[threadIdx.x] + tile[last - threadIdx.x];
}

__global__ void whole_blocks(const int* rows, int* out) {
  __shared__ int total;
  if (rows[blockIdx.x] == 0) {
    if (threadIdx.x == 0) out[blockIdx.x] = -1;
    return;
  }
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, rows[blockIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = total;
}

int main() {
  const int n = 150;
  std::vector<int> in(n), expected(n);
  for (int i = 0; i < n; ++i) in[i] = i * i;
  for (int i = 0; i < n; ++i) {
    const int first = i / 64 * 64, last = std::min(first + 63, n - 1);
    expected[i] = in[i] + in[last - (i - first)];
  }
  DeviceArray<int> a(in), b(n);
  neighbour_sum<<<3, 64>>>(a.data, b.data, n);
  expect_equal(b.get(), expected, "tail");
  DeviceArray<int> rows(std::vector<int>{3, 0, 2}), out(3);
  whole_blocks<<<3, 40>>>(rows.data, out.data);
  expect_equal(out.get(), std::vector<int>{120, -1, 80}, "blocks");
  return pass();
}
