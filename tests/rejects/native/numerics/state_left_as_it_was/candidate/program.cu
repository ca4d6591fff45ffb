// SPDX-License-Identifier: Apache-2.0
// Leaves the running statistics as they were.
#define TENSORS                                                                                                        \
  INPUT("x", F32, 64, 40), PARAMETER("norm.weight", F32, 40), PARAMETER("norm.bias", F32, 40),                         \
      STATE("norm.running_mean", F32, 40), STATE("norm.running_var", F32, 40), STATE("norm.num_batches_tracked", I64), \
      STATE("norm.running_mean", F32, 40), STATE("norm.running_var", F32, 40), STATE("norm.num_batches_tracked", I64), \
      OUTPUT("0", F32, 64, 40)
#include "candidate.h"

__global__ void normalise(const float* x, const float* weight, const float* bias, const float* mean_in,
                          const float* var_in, const int64_t* count_in, float* mean_out, float* var_out,
                          int64_t* count_out, float* y) {
  const int c = threadIdx.x;
  float mean = 0.0f, squares = 0.0f;
  for (int r = 0; r < 64; ++r) mean += x[r * 40 + c] / 64.0f;
  for (int r = 0; r < 64; ++r) squares += (x[r * 40 + c] - mean) * (x[r * 40 + c] - mean);
  for (int r = 0; r < 64; ++r) {
    y[r * 40 + c] = (x[r * 40 + c] - mean) * rsqrtf(squares / 64.0f + 1e-5f) * weight[c] + bias[c];
  }
  mean_out[c] = mean_in[c];
  var_out[c] = var_in[c];
  if (c == 0) *count_out = *count_in;
}

static int run_program(const Call& call) {
  normalise<<<1, 40, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1), call.state_in(0),
                                         call.state_in(1), call.state_in<int64_t>(2), call.state_out(0),
                                         call.state_out(1), call.state_out<int64_t>(2), call.output(0));
  return cudaGetLastError();
}
