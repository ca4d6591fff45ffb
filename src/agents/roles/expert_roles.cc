// SPDX-License-Identifier: Apache-2.0
#include "agents/roles/expert_roles.h"

#include <algorithm>

#include "agents/planner/expert_planner.h"
#include "agents/prompts/bare_code.h"
#include "agents/slow/slow_text.h"
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

namespace {

std::string as_answered(const std::string& text, bool is_bare) {
  return is_bare ? bare_code(text) : text + (text.ends_with('\n') ? "" : "\n");
}

// The text by a setting far down the expert's list, which is sorted by the cost model.
std::optional<std::string> by_worse_setting(const Bench& bench, const SubTask& sub_task) {
  for (const size_t number : {8, 4, 2, 1}) {
    if (std::optional<std::string> text = bench.text_by_rule(sub_task, number); text.has_value()) {
      return text;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> slow_expert_text(const State& state, const Material& material, uint32_t number,
                                            bool is_bare) {
  const SubTask& sub_task = *current_sub_task(state);
  const std::optional<std::string> present = material.bench.text_by_rule(sub_task, 0);
  if (!present.has_value() || sub_task.kind == SubTaskKind::kHost) {
    return std::nullopt;
  }
  std::vector<std::string> texts;
  for (const std::optional<std::string>& each :
       {slow_text(*present, Slowness::kNaiveKernel), slow_text(*present, Slowness::kScalarAccess),
        by_worse_setting(material.bench, sub_task)}) {
    if (each.has_value() && attempt_with(state, sha256_hex(as_answered(*each, is_bare))) == nullptr) {
      texts.push_back(as_answered(*each, is_bare));
    }
  }
  return texts.empty() ? std::nullopt : std::optional(texts[number % texts.size()]);
}

std::optional<std::string> expert_text(const State& state, const Material& material, bool is_bare) {
  const SubTask& sub_task = *current_sub_task(state);
  is_bare = is_bare && sub_task.kind != SubTaskKind::kHost;
  for (size_t number = 0;; ++number) {
    std::optional<std::string> text = material.bench.text_by_rule(sub_task, number);
    if (!text.has_value()) {
      return text;
    }
    *text = as_answered(*text, is_bare);
    if (attempt_with(state, sha256_hex(*text)) == nullptr) {
      return text;
    }
  }
}

}  // namespace stitch::agents
