// SPDX-License-Identifier: Apache-2.0
// cudaLaunchKernel with an array of argument pointers, with and without a cast, and cudaLaunchKernelEx.
#include "check.h"

template <typename T>
__global__ void fill(T* out, T first, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = first + static_cast<T>(i);
}
__global__ void sum_of(const int* a, const int* b, int* out) { out[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x]; }

int main() {
  const int n = 40;
  DeviceArray<int> a(n), b(n), c(n);
  int first = 5, count = n;
  int* target = a.data;
  void* arguments[] = {&target, &first, &count};
  CHECK(cudaLaunchKernel((void*)fill<int>, dim3(2), dim3(32), arguments, 0, nullptr));
  target = b.data;
  first = 100;
  CHECK(cudaLaunchKernel(reinterpret_cast<const void*>(&fill<int>), dim3(2), dim3(32), arguments, 0, 0));
  const int* ca = a.data;
  const int* cb = b.data;
  int* out = c.data;
  void* others[] = {&ca, &cb, &out};
  CHECK(cudaLaunchKernel(sum_of, dim3(1), dim3(n), others));
  std::vector<int> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = 105 + 2 * i;
  expect_equal(c.get(), expected, "sums");

  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(1);
  config.blockDim = dim3(n);
  CHECK(cudaLaunchKernelEx(&config, sum_of, ca, ca, out));
  for (int i = 0; i < n; ++i) expected[i] = 10 + 2 * i;
  expect_equal(c.get(), expected, "extended");
  return pass();
}
