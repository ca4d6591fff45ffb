// SPDX-License-Identifier: Apache-2.0
// Takes the third best expert for the second.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  const int first = best(scores);
  return gated(scores, first, best(scores, first, best(scores, first)));
}
