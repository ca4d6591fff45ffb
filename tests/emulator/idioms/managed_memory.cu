// SPDX-License-Identifier: Apache-2.0
// Managed memory, pitched rows, two-dimensional copies, copies between devices' arrays.
#include "check.h"

__global__ void fill_rows(float* rows, size_t pitch, int width) {
  float* row = reinterpret_cast<float*>(reinterpret_cast<char*>(rows) + blockIdx.x * pitch);
  for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] = blockIdx.x * 100.0f + i;
}
__global__ void halve(float* x) { x[threadIdx.x] *= 0.5f; }

int main() {
  const int width = 50, height = 6;
  float* rows = nullptr;
  size_t pitch = 0;
  CHECK(cudaMallocPitch(&rows, &pitch, width * sizeof(float), height));
  fill_rows<<<height, 32>>>(rows, pitch, width);
  std::vector<float> got(width * height), expected(width * height);
  CHECK(cudaMemcpy2D(got.data(), width * sizeof(float), rows, pitch, width * sizeof(float), height,
                     cudaMemcpyDeviceToHost));
  for (int i = 0; i < width * height; ++i) expected[i] = i / width * 100.0f + i % width;
  expect_equal(got, expected, "rows");

  float* managed = nullptr;
  CHECK(cudaMallocManaged(&managed, 32 * sizeof(float)));
  for (int i = 0; i < 32; ++i) managed[i] = 2.0f * i;
  halve<<<1, 32>>>(managed);
  CHECK(cudaDeviceSynchronize());
  std::vector<float> halves(32);
  for (int i = 0; i < 32; ++i) halves[i] = i;
  expect_equal(std::vector<float>(managed, managed + 32), halves, "managed");
  DeviceArray<float> copy(32);
  CHECK(cudaMemcpy(copy.data, managed, 32 * sizeof(float), cudaMemcpyDefault));
  CHECK(cudaMemcpy(copy.data + 1, copy.data + 8, 4 * sizeof(float), cudaMemcpyDeviceToDevice));
  halves[1] = 8;
  halves[2] = 9;
  halves[3] = 10;
  halves[4] = 11;
  expect_equal(copy.get(), halves, "copies");
  cudaPointerAttributes attributes;
  CHECK(cudaPointerGetAttributes(&attributes, copy.data));
  if (attributes.type != cudaMemoryTypeDevice) return 1;
  CHECK(cudaFree(managed));
  CHECK(cudaFree(rows));
  return pass();
}
