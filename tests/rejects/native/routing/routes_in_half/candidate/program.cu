// SPDX-License-Identifier: Apache-2.0
// Chooses experts by scores that are rounded to half precision.
#include <cuda_fp16.h>

#include "routed_experts.h"

__device__ Route route(const Router& router, int token) {
  const Scores scores = router.scores(token);
  Scores halves;
  for (int e = 0; e < kExperts; ++e) halves.of[e] = __half2float(__float2half(scores.of[e]));
  const int first = best(halves);
  return gated(scores, first, best(halves, first));
}
