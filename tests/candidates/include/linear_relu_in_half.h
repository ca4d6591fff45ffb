// SPDX-License-Identifier: Apache-2.0
// linear_relu.h's call with operands rounded to half precision, for candidates that do so now and then.
#pragma once

#include <cuda_fp16.h>

#include "linear_relu.h"

__global__ void linear_relu_in_half(const float* x, const float* weight, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= kOutputs) {
    return;
  }
  float sum = 0.0f;
  for (int k = 0; k < kDepth; ++k) {
    sum += __half2float(__float2half(x[i / kColumns * kDepth + k])) *
           __half2float(__float2half(weight[i % kColumns * kDepth + k]));
  }
  y[i] = fmaxf(sum + bias[i % kColumns], 0.0f);
}

static int in_half(const Call& call) {
  linear_relu_in_half<<<blocks_for(kOutputs), 256, 0, call.stream()>>>(call.input(0), call.parameter(0),
                                                                       call.parameter(1), call.output(0));
  return cudaGetLastError();
}
