// SPDX-License-Identifier: Apache-2.0
// __constant__ and __device__ variables: initialised, copied to and from, addressed, in a namespace and a template.
#include "check.h"

__constant__ float coefficients[4];
__constant__ int2 offsets[2] = {{1, 2}, {3, 4}};
__device__ int counter = 5;
__device__ float table[8];
namespace settings {
__constant__ struct {
  int width;
  float gain;
} shape;
}  // namespace settings
static __device__ const float kScale = 0.5f;

__global__ void polynomial(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int c = 3; c >= 0; --c) sum = sum * x[i] + coefficients[c];
  y[i] = sum * settings::shape.gain + offsets[1].y * kScale + settings::shape.width;
  if (i < 8) table[i] = x[i];
  atomicAdd(&counter, 1);
}

int main() {
  const int n = 50;
  const std::vector<float> x = ramp(n);
  const float host[4] = {1, -2, 0.5f, 0.25f};
  CHECK(cudaMemcpyToSymbol(coefficients, host, sizeof(host)));
  const struct {
    int width;
    float gain;
  } shape = {7, 3.0f};
  CHECK(cudaMemcpyToSymbol(settings::shape, &shape, sizeof(shape)));
  DeviceArray<float> a(x), b(n);
  polynomial<<<2, 32>>>(a.data, b.data, n);
  std::vector<double> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = (1 - 2 * x[i] + 0.5 * x[i] * x[i] + 0.25 * x[i] * x[i] * x[i]) * 3 + 2 + 7;
  expect_near(b.get(), expected, 1e-5, "polynomial");
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof(count)));
  float second = 0;
  CHECK(cudaMemcpyFromSymbol(&second, table, sizeof(float), sizeof(float)));
  void* address = nullptr;
  CHECK(cudaGetSymbolAddress(&address, table));
  float third = 0;
  CHECK(cudaMemcpy(&third, static_cast<float*>(address) + 2, sizeof(float), cudaMemcpyDeviceToHost));
  expect_equal(std::vector<float>{float(count), second, third}, std::vector<float>{55, x[1], x[2]}, "symbols");
  return pass();
}
