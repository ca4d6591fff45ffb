// SPDX-License-Identifier: Apache-2.0
// A histogram with a private copy a block in shared memory, flushed by atomics on global memory.
#include "check.h"

constexpr int kBins = 64;

__global__ void histogram(const unsigned char* values, unsigned int* bins, int count) {
  __shared__ unsigned int own[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) own[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&own[values[i] % kBins], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x)
    if (own[i]) atomicAdd(bins + i, own[i]);
}

int main() {
  const int count = 10007;
  std::vector<unsigned char> values(count);
  std::vector<unsigned int> expected(kBins, 0);
  for (int i = 0; i < count; ++i) ++expected[(values[i] = static_cast<unsigned char>(i * i + 3 * i)) % kBins];
  DeviceArray<unsigned char> a(values);
  DeviceArray<unsigned int> bins(kBins);
  CHECK(cudaMemset(bins.data, 0, kBins * sizeof(unsigned int)));
  histogram<<<7, 96>>>(a.data, bins.data, count);
  expect_equal(bins.get(), expected, "bins");
  return pass();
}
