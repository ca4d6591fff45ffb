// SPDX-License-Identifier: Apache-2.0
#include "evaluate/verify/plans_of_request.h"

#include <algorithm>

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

int all_draws(const VerifyRequest& request, size_t regimes, int most) {
  size_t draws = 0;
  for (const VerifySubject& each : request.subjects) {
    const size_t of_subject = each.regimes.empty() ? regimes : each.regimes.size();
    const int of_regime = std::min(each.draws_per_regime, most);
    draws += of_subject * static_cast<size_t>(of_regime) + (each.checked ? 1 : 0);
  }
  return static_cast<int>(draws);
}

}  // namespace stitch::evaluate
