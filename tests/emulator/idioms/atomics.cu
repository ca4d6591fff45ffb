// SPDX-License-Identifier: Apache-2.0
// Atomics on global and shared memory: histogram, compare-and-swap loops, wrap-around counters, 64 bits.
#include "check.h"

__device__ void atomic_max_float(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = *bits;
  while (__int_as_float(old) < value) {
    const int seen = atomicCAS(bits, old, __float_as_int(value));
    if (seen == old) break;
    old = seen;
  }
}

__global__ void histogram(const unsigned char* in, unsigned int* bins, int count) {
  __shared__ unsigned int local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    atomicAdd(&local[in[i] % 16], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

__global__ void all_kinds(float* largest, double* sum, unsigned int* words, unsigned long long* wide, int* locks) {
  const int i = threadIdx.x;
  atomic_max_float(largest, i * 37 % 101);
  atomicAdd(sum, 0.5 * i);
  atomicMin(&words[0], 1000u - i);
  atomicMax(&words[1], static_cast<unsigned int>(i));
  atomicOr(&words[2], 1u << (i % 32));
  atomicAnd(&words[3], ~(1u << (i % 8)));
  atomicXor(&words[4], static_cast<unsigned int>(i));
  atomicInc(&words[5], 9);
  atomicDec(&words[6], 9);
  atomicSub(&words[7], 1u);
  atomicAdd(wide, 1ull << 32);
  const int old = atomicExch(&locks[i % 4], i);
  atomicAdd(&locks[4], old >= 0);
}

int main() {
  const int count = 1000;
  std::vector<unsigned char> in(count);
  std::vector<unsigned int> expected(16, 0);
  for (int i = 0; i < count; ++i) ++expected[(in[i] = static_cast<unsigned char>(i * i % 253)) % 16];
  DeviceArray<unsigned char> a(in);
  DeviceArray<unsigned int> bins(std::vector<unsigned int>(16, 0));
  histogram<<<4, 64>>>(a.data, bins.data, count);
  expect_equal(bins.get(), expected, "histogram");

  DeviceArray<float> largest(std::vector<float>{-1});
  DeviceArray<double> sum(std::vector<double>{0});
  DeviceArray<unsigned int> words(std::vector<unsigned int>{5000, 0, 0, 0xffff, 0, 0, 0, 500});
  DeviceArray<unsigned long long> wide(std::vector<unsigned long long>{1});
  DeviceArray<int> locks(std::vector<int>{-1, -1, -1, -1, 0});
  all_kinds<<<1, 128>>>(largest.data, sum.data, words.data, wide.data, locks.data);
  expect_equal(largest.get(), std::vector<float>{100}, "largest");
  expect_equal(sum.get(), std::vector<double>{0.5 * 127 * 64}, "sum");
  expect_equal(words.get(), std::vector<unsigned int>{873, 127, 0xffffffffu, 0xff00, 0, 8, 2, 372}, "words");
  expect_equal(wide.get(), std::vector<unsigned long long>{(128ull << 32) + 1}, "wide");
  expect_equal(std::vector<int>{locks.get()[4]}, std::vector<int>{124}, "exchanges");
  return pass();
}
