// SPDX-License-Identifier: Apache-2.0
// A mixture of experts, for candidates whose idea is how a token finds its two: they define
//   __device__ Route route(const Router& router, int token)
#pragma once

#define TENSORS                                                                                     \
  INPUT("x", F32, 96, 64), PARAMETER("experts", F32, 8, 64, 32), PARAMETER("router.weight", F32, 8, 64), \
      PARAMETER("router.bias", F32, 8), OUTPUT("0", F32, 96, 32)
#include "candidate.h"

constexpr int kTokens = 96;
constexpr int kDepth = 64;
constexpr int kExperts = 8;
constexpr int kWidth = 32;

struct Scores {
  float of[kExperts];
};

struct Router {
  const float* x;
  const float* weight;
  const float* bias;

  __device__ float unbiased(int token, int expert) const {
    float sum = 0.0f;
    for (int k = 0; k < kDepth; ++k) sum += x[token * kDepth + k] * weight[expert * kDepth + k];
    return sum;
  }
  __device__ Scores scores(int token) const {
    Scores made;
    for (int e = 0; e < kExperts; ++e) made.of[e] = unbiased(token, e) + bias[e];
    return made;
  }
};

struct Route {
  int expert[2];
  float gate[2];
};

// The place of the largest score but those of `taken`.
__device__ inline int best(const Scores& scores, int taken = -1, int also_taken = -1) {
  int found = -1;
  for (int e = 0; e < kExperts; ++e) {
    const bool is_free = e != taken && e != also_taken;
    found = is_free && (found < 0 || scores.of[e] > scores.of[found]) ? e : found;
  }
  return found;
}

// The two experts with the gates that the softmax of their scores is.
__device__ inline Route gated(const Scores& scores, int first, int second) {
  const float ratio = expf(scores.of[second] - scores.of[first]);
  return {{first, second}, {1.0f / (1.0f + ratio), ratio / (1.0f + ratio)}};
}

__device__ inline Route best_two(const Scores& scores) {
  const int first = best(scores);
  return gated(scores, first, best(scores, first));
}

__device__ Route route(const Router& router, int token);

__global__ void mix(Router router, const float* experts, float* y) {
  const int token = static_cast<int>(INDEX);
  if (token >= kTokens) {
    return;
  }
  const Route chosen = route(router, token);
  for (int column = 0; column < kWidth; ++column) {
    float mixed = 0.0f;
    for (int which = 0; which < 2; ++which) {
      float sum = 0.0f;
      for (int k = 0; k < kDepth; ++k) {
        sum += router.x[token * kDepth + k] * experts[(chosen.expert[which] * kDepth + k) * kWidth + column];
      }
      mixed += chosen.gate[which] * sum;
    }
    y[token * kWidth + column] = mixed;
  }
}

static int run_program(const Call& call) {
  const Router router{call.input(0), call.parameter(1), call.parameter(2)};
  mix<<<blocks_for(kTokens, 32), 32, 0, call.stream()>>>(router, call.parameter(0), call.output(0));
  return cudaGetLastError();
}
