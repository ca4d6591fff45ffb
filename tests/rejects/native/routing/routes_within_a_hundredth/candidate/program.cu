// SPDX-License-Identifier: Apache-2.0
// Keeps the expert that it found first where another is better by less than a hundredth.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  int found[2] = {-1, -1};
  for (int& place : found) {
    for (int e = 0; e < kExperts; ++e) {
      if (e != found[0] && (place < 0 || scores.of[e] > scores.of[place] + 0.01f)) place = e;
    }
  }
  return gated(scores, found[0], found[1]);
}
