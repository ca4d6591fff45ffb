// SPDX-License-Identifier: Apache-2.0
// tests/programs/batch_norm.py done right, for those whose idea is what they make of its states.
#pragma once

#define TENSORS                                                                                                        \
  INPUT("x", F32, 64, 40), PARAMETER("norm.weight", F32, 40), PARAMETER("norm.bias", F32, 40),                         \
      STATE("norm.running_mean", F32, 40), STATE("norm.running_var", F32, 40), STATE("norm.num_batches_tracked", I64), \
      STATE("norm.running_mean", F32, 40), STATE("norm.running_var", F32, 40), STATE("norm.num_batches_tracked", I64), \
      OUTPUT("0", F32, 64, 40)
#include "candidate.h"

namespace batch_norm {

enum class Statistics { kRunning, kBiased, kAsBefore, kUntouched };

struct States {
  const float* mean_in;
  const float* var_in;
  const int64_t* count_in;
  float* mean_out;
  float* var_out;
  int64_t* count_out;
};

static __device__ void update(const States& states, int c, float mean, float squares, Statistics statistics) {
  const bool is_kept = statistics == Statistics::kAsBefore;
  const float count = statistics == Statistics::kBiased ? 64.0f : 63.0f;
  states.mean_out[c] = is_kept ? states.mean_in[c] : 0.9f * states.mean_in[c] + 0.1f * mean;
  states.var_out[c] = is_kept ? states.var_in[c] : 0.9f * states.var_in[c] + 0.1f * squares / count;
  if (c == 0) *states.count_out = *states.count_in + (is_kept ? 0 : 1);
}

static __global__ void normalise(const float* x, const float* weight, const float* bias, States states, float* y,
                                 Statistics statistics) {
  const int c = threadIdx.x;
  float mean = 0.0f, squares = 0.0f;
  for (int r = 0; r < 64; ++r) mean += x[r * 40 + c] / 64.0f;
  for (int r = 0; r < 64; ++r) squares += (x[r * 40 + c] - mean) * (x[r * 40 + c] - mean);
  for (int r = 0; r < 64; ++r) {
    y[r * 40 + c] = (x[r * 40 + c] - mean) * rsqrtf(squares / 64.0f + 1e-5f) * weight[c] + bias[c];
  }
  if (statistics != Statistics::kUntouched) update(states, c, mean, squares, statistics);
}

inline int run(const Call& call, Statistics statistics) {
  const States states = {call.state_in(0),  call.state_in(1),  call.state_in<int64_t>(2),
                         call.state_out(0), call.state_out(1), call.state_out<int64_t>(2)};
  normalise<<<1, 40, 0, call.stream()>>>(call.input(0), call.parameter(0), call.parameter(1), states, call.output(0),
                                         statistics);
  return cudaGetLastError();
}

}  // namespace batch_norm
