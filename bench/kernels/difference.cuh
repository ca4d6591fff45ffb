// SPDX-License-Identifier: Apache-2.0
// How far two results lie apart.
#pragma once

#include "harness.cuh"

namespace stitch_bench {

static __global__ void compare_kernel(const float* a, const float* b, int64_t count, float* greatest) {
  float difference = 0;
  for (int64_t i = blockIdx.x * int64_t{blockDim.x} + threadIdx.x; i < count; i += int64_t{gridDim.x} * blockDim.x) {
    const float one = fabsf(a[i] - b[i]);
    difference = one <= difference ? difference : one;  // a NaN stays
  }
  atomicMax(reinterpret_cast<int*>(greatest), __float_as_int(difference));
}

inline double greatest_difference(const Buffer& a, const Buffer& b) {
  const Buffer greatest(1);
  cudaMemset(greatest.data(), 0, sizeof(float));
  compare_kernel<<<1024, 256>>>(a.data(), b.data(), a.count(), greatest.data());
  return greatest.values()[0];
}

}  // namespace stitch_bench
