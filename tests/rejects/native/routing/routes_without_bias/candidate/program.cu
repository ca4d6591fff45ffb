// SPDX-License-Identifier: Apache-2.0
// Chooses experts before the bias is added.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  Scores early;
  for (int e = 0; e < kExperts; ++e) early.of[e] = router.unbiased(token, e);
  const int first = best(early);
  return gated(scores, first, best(early, first));
}
