// SPDX-License-Identifier: Apache-2.0
// Dynamic shared memory, carved into arrays of different types, in a kernel, in a template and at file scope.
#include "check.h"

extern __shared__ __align__(16) unsigned char pool[];

__global__ void carve(const float* in, float* out, int n) {
  float* values = reinterpret_cast<float*>(pool);
  int* order = reinterpret_cast<int*>(pool + n * sizeof(float));
  values[threadIdx.x] = in[threadIdx.x];
  order[threadIdx.x] = n - 1 - threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = values[order[threadIdx.x]];
}

template <typename T>
__global__ void rotate(T* data) {
  extern __shared__ double raw[];
  T* shared = reinterpret_cast<T*>(raw);
  const int n = blockDim.x;
  shared[threadIdx.x] = data[threadIdx.x];
  __syncthreads();
  data[threadIdx.x] = shared[(threadIdx.x + 1) % n];
}

__global__ void two_dimensional(float* data) {
  extern __shared__ float rows[][8];
  rows[threadIdx.y][threadIdx.x] = data[threadIdx.y * 8 + threadIdx.x];
  __syncthreads();
  data[threadIdx.y * 8 + threadIdx.x] = rows[threadIdx.x][threadIdx.y];
}

int main() {
  const int n = 96;
  const std::vector<float> in = ramp(n);
  DeviceArray<float> a(in), b(n), c(ramp(64));
  carve<<<1, n, n*(sizeof(float) + sizeof(int))>>>(a.data, b.data, n);
  rotate<<<1, n, n * sizeof(float)>>>(b.data);
  two_dimensional<<<1, dim3(8, 8), 64 * sizeof(float)>>>(c.data);
  std::vector<float> expected(n), transposed(64);
  for (int i = 0; i < n; ++i) expected[i] = in[n - 1 - (i + 1) % n];
  for (int i = 0; i < 64; ++i) transposed[i] = in[i % 8 * 8 + i / 8];
  expect_equal(b.get(), expected, "rotated");
  expect_equal(c.get(), transposed, "transposed");
  return pass();
}
