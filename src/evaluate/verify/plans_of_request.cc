// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/plans_of_request.h"

namespace stitch::evaluate {

std::vector<DrawPlan> plans_of(const VerifyRequest& request) {
  std::vector<DrawPlan> plans;
  for (const VerifySubject& subject : request.subjects) {
    const bool is_declared = plans.empty();
    const DrawUses uses{.per_regime = subject.draws_per_regime,
                        .is_timed = is_declared && request.keeps_draws,
                        .is_repeated = is_declared && request.repeats_calls,
                        .emulated_seconds = subject.draw_seconds};
    plans.push_back({subject.source, subject.regimes, uses, subject.shape});
  }
  return plans;
}

}  // namespace stitch::evaluate
