// SPDX-License-Identifier: Apache-2.0
// Kernel templates whose arguments are deduced at the launch, overloads, and kernels inside namespaces.
#include "check.h"

template <typename T>
__global__ void scale(T* values, T factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= factor;
}

namespace outer::inner {
template <typename T, int kStep>
__global__ void add_step(T* values, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) values[i] += static_cast<T>(kStep);
}
__global__ void overloaded(float* values) { values[threadIdx.x] += 0.5f; }
__global__ void overloaded(int* values) { values[threadIdx.x] += 5; }
}  // namespace outer::inner

template <typename T>
void run_all(T* values, int count) {
  scale<<<(count + 31) / 32, 32>>>(values, T(2), count);
  outer::inner::add_step<T, 3><<<1, 64>>>(values, count);
}

int main() {
  DeviceArray<float> a(ramp(100));
  DeviceArray<int> b(std::vector<int>(100, 7));
  run_all(a.data, 100);
  run_all<int>(b.data, 100);
  outer::inner::overloaded<<<1, 100>>>(a.data);
  outer::inner::overloaded<<<dim3(1), dim3(100)>>>(b.data);
  std::vector<float> expected = ramp(100);
  for (float& x : expected) x = x * 2 + 3 + 0.5f;
  expect_equal(a.get(), expected, "float");
  expect_equal(b.get(), std::vector<int>(100, 7 * 2 + 3 + 5), "int");
  return pass();
}
