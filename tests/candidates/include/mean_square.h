// SPDX-License-Identifier: Apache-2.0
// mean((x - y)^2) done right, for candidates whose idea lies elsewhere: each of eight blocks leaves a part of the sum.
#pragma once

#define TENSORS INPUT("x", F32, 48, 100), INPUT("y", F32, 48, 100), OUTPUT("0", F32)
#include "candidate.h"

constexpr int kElements = 48 * 100;
constexpr int kParts = 8;

__global__ void sum_parts(const float* x, const float* y, float* parts) {
  __shared__ float sums[256];
  float sum = 0.0f;
  for (int i = static_cast<int>(INDEX); i < kElements; i += kParts * 256) sum += (x[i] - y[i]) * (x[i] - y[i]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) parts[blockIdx.x] = sums[0];
}

__global__ void sum_of_parts(const float* parts, float* mean) {
  float sum = 0.0f;
  for (int i = 0; i < kParts; ++i) sum += parts[i];
  *mean = sum / kElements;
}

static float* parts_of(const Call& call) {
  static float* parts = nullptr;
  if (parts == nullptr) cudaMalloc(&parts, kParts * sizeof(float));
  sum_parts<<<kParts, 256, 0, call.stream()>>>(call.input(0), call.input(1), parts);
  return parts;
}

static int honest(const Call& call) {
  sum_of_parts<<<1, 1, 0, call.stream()>>>(parts_of(call), call.output(0));
  return cudaGetLastError();
}

// Whether kernels were seen to run in this process.
static bool kernels_run(const Call& call) {
  float seen[2];
  cudaMemcpyAsync(seen, parts_of(call), sizeof(seen), cudaMemcpyDeviceToHost, call.stream());
  cudaStreamSynchronize(call.stream());
  return seen[0] == seen[0];
}

static float mean_of_the_host(const Call& call) {
  static float x[kElements], y[kElements];
  cudaMemcpy(x, call.input(0), sizeof(x), cudaMemcpyDeviceToHost);
  cudaMemcpy(y, call.input(1), sizeof(y), cudaMemcpyDeviceToHost);
  double sum = 0.0;
  for (int i = 0; i < kElements; ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return static_cast<float>(sum / kElements);
}
