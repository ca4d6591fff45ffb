// SPDX-License-Identifier: Apache-2.0
// Leaves the last expert out.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  const int first = best(scores, kExperts - 1);
  return gated(scores, first, best(scores, first, kExperts - 1));
}
