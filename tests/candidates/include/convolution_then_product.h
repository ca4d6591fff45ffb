// SPDX-License-Identifier: Apache-2.0
// linear(convolution(x)) for candidates that differ in what they round operands to: bits of a float's fraction that
// they drop, none (0), those beyond TF32 (13) or beyond bfloat16 (16).
#pragma once

#define TENSORS                                                                        \
  INPUT("x", F32, 2, 16, 14, 14), PARAMETER("convolution.weight", F32, 24, 16, 3, 3),  \
      PARAMETER("convolution.bias", F32, 24), PARAMETER("linear.weight", F32, 40, 12), \
      PARAMETER("linear.bias", F32, 40), OUTPUT("0", F32, 2, 24, 12, 40)
constexpr int kPixels = 2 * 24 * 12 * 12;
constexpr int kOutputs = 2 * 24 * 12 * 40;
#define WORKSPACE_BYTES (kPixels * 4)
#include "candidate.h"

// To nearest, ties away from zero.
template <int kDropped>
__device__ float rounded(float value) {
  if constexpr (kDropped == 0) {
    return value;
  }
  constexpr uint32_t kUnit = 1u << kDropped;
  return __uint_as_float((__float_as_uint(value) + kUnit / 2) & ~(kUnit - 1));
}

template <int kDropped>
__global__ void convolution(const float* x, const float* weight, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= kPixels) {
    return;
  }
  const int64_t column = i % 12, row = i / 12 % 12, channel = i / 144 % 24, image = i / 144 / 24;
  float sum = 0.0f;
  for (int64_t k = 0; k < 144; ++k) {
    const int64_t at = ((image * 16 + k / 9) * 14 + row + k / 3 % 3) * 14 + column + k % 3;
    sum += rounded<kDropped>(x[at]) * rounded<kDropped>(weight[channel * 144 + k]);
  }
  y[i] = sum + bias[channel];
}

template <int kDropped>
__global__ void product(const float* x, const float* weight, const float* bias, float* y) {
  const int64_t i = INDEX;
  if (i >= kOutputs) {
    return;
  }
  float sum = 0.0f;
  for (int64_t k = 0; k < 12; ++k) {
    sum += rounded<kDropped>(x[i / 40 * 12 + k]) * rounded<kDropped>(weight[i % 40 * 12 + k]);
  }
  y[i] = sum + bias[i % 40];
}

template <int kDroppedOfConvolution, int kDroppedOfProduct>
static int compute(const Call& call) {
  float* between = static_cast<float*>(call.workspace());
  convolution<kDroppedOfConvolution>
      <<<blocks_for(kPixels), 256, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1), between);
  product<kDroppedOfProduct>
      <<<blocks_for(kOutputs), 256, 0, call.stream()>>>(between, call.parameter(2), call.parameter(3), call.output(0));
  return cudaGetLastError();
}
