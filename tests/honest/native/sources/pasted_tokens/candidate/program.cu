// SPDX-License-Identifier: Apache-2.0
// Makes its kernels by a macro that pastes names together.
#define TENSORS INPUT("x", F32, 64, 128), OUTPUT("0", F32, 64, 128)
#include "candidate.h"

#define GELU_OF(type) gelu_of_##type
#define DEFINE_GELU(type) \
  __device__ type GELU_OF(type)(type v) { return type(0.5) * v * (type(1) + erf(v * type(0.70710678118654752))); }
DEFINE_GELU(float)
DEFINE_GELU(double)

__global__ void apply(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 128) {
    y[i] = GELU_OF(float)(x[i]);
  }
}

static int run_program(const Call& call) {
  apply<<<blocks_for(64 * 128), 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
