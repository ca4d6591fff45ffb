// SPDX-License-Identifier: Apache-2.0
// Launches sized by the device: attributes, occupancy, a grid-stride loop over what is left, opt-in shared memory.
#include "check.h"

__global__ void sum_of_squares(const float* in, double* out, int count) {
  extern __shared__ double parts[];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum += double(in[i]) * in[i];
  parts[threadIdx.x] = sum;
  for (unsigned int half = blockDim.x / 2; half > 0; half >>= 1) {
    __syncthreads();
    if (threadIdx.x < half) parts[threadIdx.x] += parts[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(out, parts[0]);
}

int main() {
  int device = 0, multiprocessors = 0, most_shared = 0, per_multiprocessor = 0;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaDeviceGetAttribute(&most_shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  const int threads = 128, shared = 60 * 1024;
  if (most_shared < shared) return std::printf("WRONG shared memory %d\n", most_shared), 1;
  CHECK(cudaFuncSetAttribute(sum_of_squares, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, sum_of_squares, threads, shared));
  if (per_multiprocessor < 1) return std::printf("WRONG occupancy %d\n", per_multiprocessor), 1;
  const int count = 40001, blocks = std::min(multiprocessors * per_multiprocessor, 8);
  const std::vector<float> in = ramp(count);
  DeviceArray<float> a(in);
  DeviceArray<double> out(std::vector<double>{0.0});
  sum_of_squares<<<blocks, threads, shared>>>(a.data, out.data, count);
  double expected = 0;
  for (float value : in) expected += double(value) * value;
  expect_near({static_cast<float>(out.get()[0])}, {expected}, 1e-6, "sum");
  return pass();
}
