// SPDX-License-Identifier: Apache-2.0
// More than 48 KB of shared memory by opting in, occupancy, device properties, launch errors that can be recovered.
#include "check.h"

__global__ void __launch_bounds__(256, 1) reverse(int* data, int n) {
  extern __shared__ int staged[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) staged[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = staged[n - 1 - i];
}
template <int kUnused>
__global__ void plain(int* data) {
  data[threadIdx.x] += kUnused;
}

int main() {
  const int n = 20000;  // 80 KB
  std::vector<int> in(n), expected(n);
  for (int i = 0; i < n; ++i) expected[n - 1 - i] = in[i] = i * 3;
  DeviceArray<int> a(in);
  const size_t bytes = n * sizeof(int);
  reverse<<<1, 256, bytes>>>(a.data, n);
  const cudaError_t refused = cudaGetLastError();
  CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)));
  reverse<<<1, 256, bytes>>>(a.data, n);
  expect_equal(a.get(), expected, "reversed");

  plain<7><<<1, 2048>>>(a.data);
  const cudaError_t too_many = cudaGetLastError();
  plain<7><<<0, 32>>>(a.data);
  const cudaError_t no_grid = cudaPeekAtLastError();
  const cudaError_t again = cudaGetLastError();
  const cudaError_t cleared = cudaGetLastError();
  // Which error it is differs between drivers; that there is one, that it stays until asked for, and goes then, does
  // not.
  const std::vector<int> states = {refused != cudaSuccess, too_many != cudaSuccess, no_grid != cudaSuccess,
                                   again == no_grid, cleared == cudaSuccess};
  expect_equal(states, std::vector<int>(5, 1), "errors");
  int device = -1, processors = 0, opt_in = 0, blocks = 0;
  cudaDeviceProp properties;
  CHECK(cudaGetDevice(&device));
  CHECK(cudaGetDeviceProperties(&properties, device));
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaDeviceGetAttribute(&opt_in, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain<7>, 256, 0));
  if (processors != properties.multiProcessorCount || opt_in < 64 * 1024 || blocks < 1 || properties.warpSize != 32) {
    std::printf("WRONG device facts\n");
    return 1;
  }
  return pass();
}
