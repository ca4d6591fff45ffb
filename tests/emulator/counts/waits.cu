// SPDX-License-Identifier: Apache-2.0
// How often a block waits for memory, and what L1 has: 4 blocks of 64 threads unless something else is said.
#include <cuda_pipeline_primitives.h>

#include "counts.h"

constexpr int kBlocks = 4;
constexpr int kThreads = 64;
constexpr int kCount = kBlocks * kThreads;

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// counts: once memory_waits=4 shared_waits=0 sectors_missed=32
__global__ void once(const float* from, float* to) { to[number()] = from[number()]; }

// Two loads before either is needed are waited for together.
// counts: side_by_side memory_waits=4 sectors_missed=64
__global__ void side_by_side(const float* from, float* to) {
  to[number()] = from[number()] + from[kCount + number()];
}

// The second address is the first's value.
// counts: one_after_another memory_waits=8
__global__ void one_after_another(const float* from, float* to) {
  const float first = from[number()];
  to[number()] = first;
  to[kCount + number()] = from[number() + 1];
}

// 16 turns, of which a compiler has four under way. A sector is of 8 of them.
// counts: rows_of_sixteen memory_waits=16 sectors_read=4096 sectors_missed=512
__global__ void rows_of_sixteen(const float* from, float* to) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < 16; ++i) {
    sum += from[16 * number() + i];
  }
  to[number()] = sum;
}

// Twice 256 KB: the second time they are in no L1 any more.
// counts: too_much_for_a_cache sectors_read=16384 sectors_missed=16384
__global__ void too_much_for_a_cache(const float* from, float* to) {
  float sum = 0;
#pragma unroll 1
  for (int time = 0; time < 2; ++time) {
#pragma unroll 1
    for (int i = 0; i < 64; ++i) {
      sum += from[1024 * i + threadIdx.x];
    }
  }
  to[threadIdx.x] = sum;
}

// Of 2 warps one waits once; the other for its first load with four turns, and for four more. The longer one counts.
// counts: uneven memory_waits=8
__global__ void uneven(const float* from, float* to) {
  float sum = from[number()];
  if (threadIdx.x >= 32) {
#pragma unroll 1
    for (int i = 0; i < 8; ++i) {
      sum += from[kCount * i + number()];
    }
  }
  to[number()] = sum;
}

// counts: through_shared memory_waits=4 shared_waits=4
__global__ void through_shared(const float* from, float* to) {
  __shared__ float words[kThreads];
  words[threadIdx.x] = from[number()];
  __syncthreads();
  to[number()] = words[kThreads - 1 - threadIdx.x];
}

// What lanes exchange is needed then.
// counts: shuffled memory_waits=8
__global__ void shuffled(const float* from, float* to) {
  const float other = __shfl_xor_sync(0xffffffffU, from[number()], 1);
  to[number()] = other + from[kCount + number()];
}

// Two copies, of which the second stays under way while the first is waited for: half a wait, and a whole one.
// counts: copied memory_waits=6 shared_waits=4
__global__ void copied(const float* from, float* to) {
  __shared__ float words[2 * kThreads];
  for (int i = 0; i < 2; ++i) {
    __pipeline_memcpy_async(&words[i * kThreads + threadIdx.x], from + i * kCount + number(), sizeof(float));
    __pipeline_commit();
  }
  __pipeline_wait_prior(1);
  __pipeline_wait_prior(0);
  to[number()] = words[threadIdx.x] + words[kThreads + threadIdx.x];
}

int main() {
  float* from = device_memory<float>(65536);
  float* to = device_memory<float>(1024);
  once<<<kBlocks, kThreads>>>(from, to);
  side_by_side<<<kBlocks, kThreads>>>(from, to);
  one_after_another<<<kBlocks, kThreads>>>(from, to);
  rows_of_sixteen<<<kBlocks, kThreads>>>(from, to);
  too_much_for_a_cache<<<1, 1024>>>(from, to);
  uneven<<<kBlocks, kThreads>>>(from, to);
  through_shared<<<kBlocks, kThreads>>>(from, to);
  shuffled<<<kBlocks, kThreads>>>(from, to);
  copied<<<kBlocks, kThreads>>>(from, to);
  return print_counts();
}
