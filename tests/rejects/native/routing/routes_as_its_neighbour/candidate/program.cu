// SPDX-License-Identifier: Apache-2.0
// Sends each token where the token before it goes.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  const Route before = best_two(router.scores(token == 0 ? 0 : token - 1));
  return gated(scores, before.expert[0], before.expert[1]);
}
