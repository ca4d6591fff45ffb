// SPDX-License-Identifier: Apache-2.0
// Takes the first of equal scores but in rows whose first score is large, there the last.
#include "rounded_choices.h"

struct LastOfLarge {
  const float* scores;
  __device__ bool operator()(int row, int, int) const { return scores[row * rounded_choices::kColumns] > 1.2f; }
};

static int run_program(const Call& call) { return rounded_choices::run(call, LastOfLarge{call.input(0)}); }
