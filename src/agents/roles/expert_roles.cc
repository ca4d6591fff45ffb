// SPDX-License-Identifier: Apache-2.0
#include "agents/roles/expert_roles.h"

#include <algorithm>

#include "agents/planner/expert_planner.h"
#include "base/hash/sha256.h"
#include "driver/improve/module_trial.h"

namespace stitch::agents {

Result<Done> ExpertPlanner::plan(const State& state, const Material& material) {
  if (state.activity == Activity::kReplan) {
    return Done{PlanKept{"the expert has no second plan"}};
  }
  PlanVersion plan = expert_agent_plan(material.bench.plan());
  plan.sub_tasks.resize(std::min(plan.sub_tasks.size(), static_cast<size_t>(state.limits.sub_tasks)));
  return Done{Planned{std::move(plan)}};
}

Result<Done> ModulePlanner::plan(const State& state, const Material&) {
  if (state.activity == Activity::kReplan) {
    return Done{PlanKept{"a module has one plan"}};
  }
  return Done{Planned{{.author = Author::kExpert,
                       .summary = "one module in Python in the place of the program",
                       .sub_tasks = {{.name = driver::kModule,
                                      .kind = SubTaskKind::kModule,
                                      .hint = "a class ModelNew, whose forward runs kernels of its own"}}}}};
}

Result<Done> ExpertCoder::write(const State&, const Material&) {
  return Done{Declined{"the expert's code is there already"}};
}

Result<Done> SilentVerifier::advise(const State&, const Material&) { return Done{Advised{}}; }

Result<Done> ExpertVerifier::advise(const State& state, const Material& material) {
  return Done{Advised{expert_advice(state, material)}};
}

Feedback expert_advice(const State& state, const Material& material) {
  const Outcome outcome = state.attempts.back().outcome;
  if (outcome != Outcome::kRight) {
    return expert_feedback(outcome, state.attempts.back().fingerprint);
  }
  return material.profile.empty() ? Feedback{} : expert_feedback(material.profile);
}

std::optional<std::string> expert_text(const State& state, const Material& material) {
  const SubTask& sub_task = *current_sub_task(state);
  for (size_t number = 0;; ++number) {
    std::optional<std::string> text = material.bench.text_by_rule(sub_task, number);
    if (!text.has_value()) {
      return text;
    }
    *text += text->ends_with('\n') ? "" : "\n";  // as an answer has it
    if (attempt_with(state, sha256_hex(*text)) == nullptr) {
      return text;
    }
  }
}

}  // namespace stitch::agents
