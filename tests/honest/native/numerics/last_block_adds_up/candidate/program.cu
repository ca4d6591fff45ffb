// SPDX-License-Identifier: Apache-2.0
// The last block to arrive adds up what all have left, counted by an atomic that wraps.
#define TENSORS INPUT("x", F32, 20000), OUTPUT("0", F32), OUTPUT("1", F32), OUTPUT("2", I64)
#define WORKSPACE_BYTES 65536
#include "candidate.h"
struct Part {
  float sum, most;
  int where, padding;
};
__device__ unsigned arrived;
__device__ Part joined(Part a, Part b) {
  const bool second = b.most > a.most || (b.most == a.most && b.where < a.where);
  return {a.sum + b.sum, second ? b.most : a.most, second ? b.where : a.where, 0};
}
__device__ Part shuffled(Part p, int step) {
  return {__shfl_xor_sync(~0u, p.sum, step), __shfl_xor_sync(~0u, p.most, step), __shfl_xor_sync(~0u, p.where, step),
          0};
}
__device__ Part block_part(Part mine) {
  __shared__ Part parts[32];
  for (int step = 16; step > 0; step >>= 1) mine = joined(mine, shuffled(mine, step));
  __syncthreads();
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x < 32) {
    mine = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : Part{0.f, -INFINITY, 1 << 30, 0};
    for (int step = 16; step > 0; step >>= 1) mine = joined(mine, shuffled(mine, step));
  }
  return mine;
}
__global__ void all(const float* x, int n, Part* parts, float* sum, float* most, long long* where) {
  __shared__ bool is_last;
  Part mine{0.f, -INFINITY, 1 << 30, 0};
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) mine = joined(mine, {x[i], x[i], i, 0});
  mine = block_part(mine);
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = mine;
    __threadfence();
    is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  mine = {0.f, -INFINITY, 1 << 30, 0};
  for (int i = threadIdx.x; i < gridDim.x; i += blockDim.x) mine = joined(mine, parts[i]);
  mine = block_part(mine);
  if (threadIdx.x == 0) {
    *sum = mine.sum;
    *most = mine.most;
    *where = mine.where;
  }
}
static int run_program(const Call& call) {
  all<<<37, 256, 0, call.stream()>>>(call.input(0), 20000, call.workspace<Part>(), call.output(0), call.output(1),
                                     call.output<long long>(2));
  return cudaGetLastError();
}