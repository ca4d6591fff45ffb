// SPDX-License-Identifier: Apache-2.0
// tests/programs/rounded_choices.py for those whose idea is which of equal scores they take: `is_before(call, row,
// place, other)` says whether the one at `place` comes before an equal one at `other`, which is lower.
#pragma once

#define TENSORS INPUT("scores", F32, 64, 96), INPUT("values", F32, 64, 96), OUTPUT("0", F32, 64, 5)
#include "candidate.h"

namespace rounded_choices {

constexpr int kRows = 64, kColumns = 96, kTaken = 5;

template <typename IsBefore>
__global__ void choose(const float* scores, const float* values, float* out, IsBefore is_before) {
  const int row = static_cast<int>(INDEX);
  if (row >= kRows) return;
  bool is_taken[kColumns] = {};
  for (int k = 0; k < kTaken; ++k) {
    int best = -1;
    float largest = 0.0f;
    for (int i = 0; i < kColumns; ++i) {
      if (is_taken[i]) continue;
      const float score = rintf(scores[row * kColumns + i] * 2.0f);
      if (best < 0 || (isnan(score) && !isnan(largest)) || score > largest ||
          (score == largest && is_before(row, i, best))) {
        best = i;
        largest = score;
      }
    }
    is_taken[best] = true;
    out[row * kTaken + k] = values[row * kColumns + best];
  }
}

template <typename IsBefore>
int run(const Call& call, IsBefore is_before) {
  choose<<<1, kRows, 0, call.stream()>>>(call.input(0), call.input(1), call.output(0), is_before);
  return cudaGetLastError();
}

}  // namespace rounded_choices
