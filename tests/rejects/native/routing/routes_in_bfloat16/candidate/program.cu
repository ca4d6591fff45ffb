// SPDX-License-Identifier: Apache-2.0
// Chooses experts by scores that are rounded to bfloat16.
#include <cuda_bf16.h>

#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  Scores rounded;
  for (int e = 0; e < kExperts; ++e) rounded.of[e] = __bfloat162float(__float2bfloat16(scores.of[e]));
  const int first = best(rounded);
  return gated(scores, first, best(rounded, first));
}
