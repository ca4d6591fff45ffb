// SPDX-License-Identifier: Apache-2.0
// Takes the first of equal scores as often as there are equal ones.
#include "rounded_choices.h"

using namespace rounded_choices;

__global__ void repeated(const float* scores, const float* values, float* out) {
  const int row = static_cast<int>(INDEX);
  if (row >= kRows) return;
  float bound = INFINITY;
  int taken = 0;
  while (taken < kTaken) {
    int best = -1, equals = 0;
    float largest = -INFINITY;
    for (int i = 0; i < kColumns; ++i) {
      const float score = rintf(scores[row * kColumns + i] * 2.0f);
      if (score >= bound && !(taken == 0 && bound == INFINITY)) continue;
      equals = score > largest ? 1 : equals + (score == largest);
      best = score > largest || best < 0 ? i : best;
      largest = score > largest ? score : largest;
    }
    for (int k = 0; k < (equals > 0 ? equals : kTaken) && taken < kTaken; ++k) {
      out[row * kTaken + taken++] = values[row * kColumns + (best < 0 ? 0 : best)];
    }
    bound = largest;
  }
}

static int run_program(const Call& call) {
  repeated<<<1, kRows, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0));
  return cudaGetLastError();
}
