// SPDX-License-Identifier: Apache-2.0
// Gives the weights of the two experts to each other.
#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Route right = best_two(router.scores(token));
  return {{right.expert[1], right.expert[0]}, {right.gate[0], right.gate[1]}};
}
