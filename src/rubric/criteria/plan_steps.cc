// SPDX-License-Identifier: Apache-2.0
// Of a project of ours, perhaps edited: whether a call launched as much as its plan has steps. Kernels come from
// skeletons that steps share, so a launch does not tell which step it belongs to.
#include <fmt/format.h>

#include <algorithm>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {

Mark score_plan_steps(const Facts& facts) {
  if (facts.plan.empty()) {
    return no_mark("there is no plan to follow");
  }
  if (!facts.launches.has_value()) {
    return no_mark("launches were not listed");
  }
  const Executed ran = executed(facts);
  const int64_t launches = ran.launches + ran.library_launches;
  const double share = std::min(1.0, static_cast<double>(launches) / static_cast<double>(facts.plan.size()));
  return mark(1 + 4 * share, fmt::format("{} launches for the {} steps of the plan", launches, facts.plan.size()),
              {"plan: plan.json"});
}

}  // namespace stitch::rubric
