// SPDX-License-Identifier: Apache-2.0
// Transposes the weights in prepare().
#define PREPARED_BYTES 40960
#include "linear_relu.h"

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

static int prepare_program(StitchHandle& handle, cudaStream_t stream) {
  transpose<<<blocks_for(kColumns * kDepth), 256, 0, stream>>>(static_cast<const float*>(handle.parameter_data[0]),
                                                               static_cast<float*>(handle.prepared));
  return cudaGetLastError();
}

static int run_program(const Call& call) {
  packed_linear<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), call.prepared(), call.parameter(1),
                                                                 call.output(0));
  return cudaGetLastError();
}
