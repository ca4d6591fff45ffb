// SPDX-License-Identifier: Apache-2.0
// Chooses the two experts with the least scores.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  Scores negated = scores;
  for (float& each : negated.of) each = -each;
  const int first = best(negated);
  return gated(scores, first, best(negated, first));
}
