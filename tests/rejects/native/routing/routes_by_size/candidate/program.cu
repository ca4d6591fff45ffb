// SPDX-License-Identifier: Apache-2.0
// Chooses experts by the size of their scores, whatever the sign.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  Scores sizes = scores;
  for (float& each : sizes.of) each = fabsf(each);
  const int first = best(sizes);
  return gated(scores, first, best(sizes, first));
}
