// SPDX-License-Identifier: Apache-2.0
// Quantised products: four bytes a lane by __dp4a, scales applied at the end; char4 loads.
#include "check.h"

__global__ void quantised(const char4* a, const char4* b, const float* scales, float* out, int rows, int quads) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  int sum = 0;
  for (int i = threadIdx.x; i < quads; i += 32) {
    const char4 left = a[row * quads + i], right = b[i];
    sum = __dp4a(*reinterpret_cast<const int*>(&left), *reinterpret_cast<const int*>(&right), sum);
  }
  sum = __reduce_add_sync(0xffffffffu, sum);
  if (threadIdx.x == 0) out[row] = static_cast<float>(sum) * scales[row];
}

int main() {
  const int rows = 10, quads = 77;
  std::vector<char4> a(rows * quads), b(quads);
  auto byte = [](int i) { return static_cast<signed char>(i * 31 % 255 - 127); };
  for (size_t i = 0; i < a.size(); ++i) a[i] = {byte(int(i)), byte(int(i) + 5), byte(int(i) * 3), byte(int(i) + 9)};
  for (size_t i = 0; i < b.size(); ++i) b[i] = {byte(int(i) + 2), byte(int(i) * 7), byte(int(i)), byte(int(i) + 1)};
  const std::vector<float> scales = ramp(rows, 0.001f, 0.01f);
  DeviceArray<char4> da(a), db(b);
  DeviceArray<float> ds(scales), out(rows);
  quantised<<<(rows + 3) / 4, dim3(32, 4)>>>(da.data, db.data, ds.data, out.data, rows, quads);
  std::vector<double> expected(rows, 0.0);
  for (int r = 0; r < rows; ++r) {
    long sum = 0;
    for (int i = 0; i < quads; ++i) {
      const char4 x = a[r * quads + i], y = b[i];
      sum += x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    }
    expected[r] = double(sum) * scales[r];
  }
  expect_near(out.get(), expected, 1e-6, "scaled dot products");
  return pass();
}
