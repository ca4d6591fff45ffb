// SPDX-License-Identifier: Apache-2.0
// The scalar functions generated pointwise code is written in, with PyTorch's names and its treatment of NaN.
#pragma once

#include <stdint.h>

namespace stitch {

__device__ __forceinline__ float relu(float x) { return x < 0.0f ? 0.0f : x; }  // NaN stays NaN
__device__ __forceinline__ float reciprocal(float x) { return 1.0f / x; }
__device__ __forceinline__ float reciprocal_square_root(float x) { return 1.0f / sqrtf(x); }
__device__ __forceinline__ float sigmoid(float x) { return 1.0f / (1.0f + expf(-x)); }
__device__ __forceinline__ float silu(float x) { return x / (1.0f + expf(-x)); }

__device__ __forceinline__ float gelu(float x) {
  constexpr float kInverseSquareRootOfTwo = 0.70710678118654752f;
  return 0.5f * x * (1.0f + erff(x * kInverseSquareRootOfTwo));
}

__device__ __forceinline__ float gelu_tanh(float x) {
  constexpr float kSquareRootOfTwoOverPi = 0.79788456080286536f;
  constexpr float kCubicCoefficient = 0.044715f;
  return 0.5f * x * (1.0f + tanhf(kSquareRootOfTwoOverPi * (x + kCubicCoefficient * x * x * x)));
}

__device__ __forceinline__ float leaky_relu(float x, float negative_slope) { return x > 0.0f ? x : x * negative_slope; }

__device__ __forceinline__ float elu(float x, float alpha) { return x > 0.0f ? x : alpha * expm1f(x); }

__device__ __forceinline__ float softplus(float x, float beta, float threshold) {
  return x * beta > threshold ? x : log1pf(expf(x * beta)) / beta;
}

__device__ __forceinline__ float maximum(float a, float b) { return (a != a || a > b) ? a : b; }
__device__ __forceinline__ float minimum(float a, float b) { return (a != a || a < b) ? a : b; }

// NaN stays NaN, as in torch.clamp.
__device__ __forceinline__ float clamp(float x, float low, float high) {
  const float raised = x < low ? low : x;
  return raised > high ? high : raised;
}

__device__ __forceinline__ float hardtanh(float x, float low, float high) { return clamp(x, low, high); }
__device__ __forceinline__ float hardsigmoid(float x) { return clamp(x + 3.0f, 0.0f, 6.0f) / 6.0f; }
__device__ __forceinline__ float hardswish(float x) { return x * clamp(x + 3.0f, 0.0f, 6.0f) / 6.0f; }
__device__ __forceinline__ float softsign(float x) { return x / (1.0f + fabsf(x)); }
__device__ __forceinline__ float square(float x) { return x * x; }
__device__ __forceinline__ float mish(float x) { return x * tanhf(log1pf(expf(x))); }
__device__ __forceinline__ float sign(float x) { return static_cast<float>((x > 0.0f) - (x < 0.0f)); }

}  // namespace stitch
