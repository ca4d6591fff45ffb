// SPDX-License-Identifier: Apache-2.0
// The share of the graph's operators that own or fused kernels carry.
#include <fmt/format.h>

#include <algorithm>

#include "rubric/criteria/criterion.h"
#include "rubric/criteria/executed.h"

namespace stitch::rubric {
namespace {

// Of a project of ours: its plan says which step carries which operators.
Mark of_plan(const Facts& facts) {
  int all = 0;
  int own = 0;
  for (const PlanStepFacts& step : facts.plan) {
    all += step.operators;
    own += step.is_library ? 0 : step.operators;
  }
  const double share = all > 0 ? static_cast<double>(own) / all : 1;
  return mark(3 + 2 * share, fmt::format("own kernels carry {} of {} operators, a library the others", own, all),
              {"plan: plan.json"});
}

}  // namespace

Mark score_operators_carried(const Facts& facts) {
  if (!facts.verdict.has_value()) {
    return no_mark("there is no verdict: what runs may compute something else");
  }
  if (!is_verified(facts)) {
    return mark(1, "no operator is carried by what is not verified",
                {fmt::format("verdict: {}", to_string(facts.verdict->kind))});
  }
  if (facts.framework.has_value()) {
    const FrameworkFacts& framework = *facts.framework;
    const bool all_own = framework.hack_class == HackClass::kClean;
    return mark(all_own ? 5 : std::min(4.0, 1 + 4 * (1 - framework.share)), framework.evidence,
                {"policy: " + framework.evidence});
  }
  return facts.plan.empty() ? mark(5, "the answers are right and no framework is linked", {"verdict: ok"})
                            : of_plan(facts);
}

}  // namespace stitch::rubric
