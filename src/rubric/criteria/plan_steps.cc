// SPDX-License-Identifier: Apache-2.0
// Of a project of ours, perhaps edited: whether each step's file launched something.
#include <fmt/format.h>

#include <algorithm>

#include "rubric/criteria/criterion.h"

namespace stitch::rubric {

Mark score_plan_steps(const Facts& facts) {
  if (facts.plan.empty()) {
    return no_mark("there is no plan to follow");
  }
  if (!facts.launches.has_value()) {
    return no_mark("launches were not listed");
  }
  size_t seen = 0;
  std::string missing;
  for (const PlanStepFacts& step : facts.plan) {
    const bool ran = std::any_of(facts.launches->begin(), facts.launches->end(), [&](const LaunchRecord& launch) {
      return launch.file.ends_with(step.file) || (step.is_library && launch.library_flops > 0);
    });
    seen += ran ? 1 : 0;
    missing = ran || !missing.empty() ? missing : step.file;
  }
  const double share = static_cast<double>(seen) / static_cast<double>(facts.plan.size());
  return mark(1 + 4 * share,
              missing.empty() ? fmt::format("all {} steps of the plan launched", seen)
                              : fmt::format("{} of {} steps launched; {} did not", seen, facts.plan.size(), missing),
              {"plan: plan.json"});
}

}  // namespace stitch::rubric
