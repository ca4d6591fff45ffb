// SPDX-License-Identifier: Apache-2.0
// Double buffering with asynchronous copies into shared memory.
#include <cuda_pipeline.h>

#include "check.h"

constexpr int kTile = 64;

__global__ void running_sums(const float* in, float* out, int tiles) {
  __shared__ __align__(16) float buffer[2][kTile * 4];
  const int t = threadIdx.x;
  auto fetch = [&](int tile) {
    if (tile < tiles) __pipeline_memcpy_async(&buffer[tile % 2][t * 4], in + tile * kTile * 4 + t * 4, 16);
    __pipeline_commit();
  };
  fetch(0);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    fetch(tile + 1);
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = 0; i < 4; ++i) sum += buffer[tile % 2][(t + i * kTile) % (kTile * 4)];
    __syncthreads();
  }
  out[t] = sum;
}

__global__ void zero_filled(const float* in, float* out) {
  __shared__ __align__(16) float piece[32][4];
  __pipeline_memcpy_async(piece[threadIdx.x], in + threadIdx.x * 4, 16, threadIdx.x % 2 ? 8 : 0);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncwarp();
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = piece[threadIdx.x ^ 1][i];
}

int main() {
  const int tiles = 5;
  const std::vector<float> in = ramp(tiles * kTile * 4);
  DeviceArray<float> a(in), b(kTile), c(128);
  running_sums<<<1, kTile>>>(a.data, b.data, tiles);
  std::vector<double> expected(kTile, 0.0);
  for (size_t i = 0; i < in.size(); ++i) expected[i % kTile] += in[i];
  expect_near(b.get(), expected, 1e-5, "sums");
  zero_filled<<<1, 32>>>(a.data, c.data);
  std::vector<float> pieces(128);
  for (int i = 0; i < 128; ++i) {
    const int from = (i / 4) ^ 1;
    pieces[i] = from % 2 && i % 4 >= 2 ? 0.0f : in[from * 4 + i % 4];
  }
  expect_equal(c.get(), pieces, "zero filled");
  return pass();
}
