// SPDX-License-Identifier: Apache-2.0
// Routes each token to its two best experts.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  return best_two(router.scores(token));
}
