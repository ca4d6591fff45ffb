// SPDX-License-Identifier: Apache-2.0
// Folds weight, bias and statistics into two numbers a channel.
#define PREPARED_BYTES 320
#define TENSORS                                                                                \
  INPUT("x", F32, 64, 40), PARAMETER("norm.weight", F32, 40), PARAMETER("norm.bias", F32, 40), \
      CONSTANT("norm.running_mean", F32, 40), CONSTANT("norm.running_var", F32, 40), OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void fold(const float* weight, const float* bias, const float* mean, const float* variance, float* folded) {
  const int c = threadIdx.x;
  const float scale = weight[c] * rsqrtf(variance[c] + 1e-5f);
  folded[c] = scale;
  folded[40 + c] = bias[c] - mean[c] * scale;
}

__global__ void scale(const float* x, const float* folded, float* y) {
  const int64_t i = INDEX;
  if (i < 64 * 40) y[i] = x[i] * folded[i % 40] + folded[40 + i % 40];
}

static int prepare_program(StitchHandle& handle, cudaStream_t stream) {
  const auto parameter = [&](int i) { return static_cast<const float*>(handle.parameter_data[i]); };
  fold<<<1, 40, 0, stream>>>(parameter(0), parameter(1), parameter(2), parameter(3),
                             static_cast<float*>(handle.prepared));
  return cudaGetLastError();
}

static int run_program(const Call& call) {
  scale<<<blocks_for(64 * 40), 256, 0, call.stream()>>>(call.input(0), call.prepared(), call.output(0));
  return cudaGetLastError();
}
