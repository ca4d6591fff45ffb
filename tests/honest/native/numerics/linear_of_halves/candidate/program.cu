// SPDX-License-Identifier: Apache-2.0
// Multiplies halves, summing in float.
#define TENSORS                                                                                            \
  INPUT("x", F16, 96, 192), PARAMETER("linear.weight", F16, 128, 192), PARAMETER("linear.bias", F16, 128), \
      OUTPUT("0", F16, 96, 128)
#include <cuda_fp16.h>

#include "candidate.h"

__global__ void linear(const __half* x, const __half* weight, const __half* bias, __half* y) {
  const int64_t i = INDEX;
  if (i >= 96 * 128) return;
  float sum = __half2float(bias[i % 128]);
  for (int k = 0; k < 192; ++k) {
    sum += __half2float(x[i / 128 * 192 + k]) * __half2float(weight[i % 128 * 192 + k]);
  }
  y[i] = __float2half(sum);
}

static int run_program(const Call& call) {
  linear<<<blocks_for(96 * 128), 256, 0, call.stream()>>>(call.input<__half>(0), call.parameter<__half>(0),
                                                          call.parameter<__half>(1), call.output<__half>(0));
  return cudaGetLastError();
}
