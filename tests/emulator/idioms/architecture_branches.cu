// SPDX-License-Identifier: Apache-2.0
// __CUDA_ARCH__, __CUDACC__ and __noinline__; code that the host never sees.
#include "check.h"

#ifndef __CUDACC__
#error "this file is compiled as CUDA"
#endif

__host__ __device__ __noinline__ int side() {
#ifdef __CUDA_ARCH__
  return 2;
#else
  return 2;
#endif
}

__device__ int generation() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return 9;
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return 8;
#else
  return 0;
#endif
}

__global__ void ask(int* out) {
  out[0] = generation() >= 8;
  out[1] = side();
}

int main() {
  DeviceArray<int> a(2);
  ask<<<1, 1>>>(a.data);
  expect_equal(a.get(), std::vector<int>{1, side()}, "answers");
  return pass();
}
