// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "agents/coder/answer.h"
#include "agents/planner/check_plan.h"
#include "agents/planner/expert_planner.h"
#include "agents/planner/joined_plan.h"
#include "agents/planner/plan_cost.h"
#include "agents/roles/context.h"
#include "agents/roles/conversation.h"
#include "agents/roles/expert_roles.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

class PlanTaker {
 public:
  PlanTaker(const State& state, const Material& material) : state_(state), material_(material) {}

  std::vector<std::string> operator()(const std::string& answer) {
    if (const CoderAnswer said = coder_answer_from_text(answer);
        state_.activity == Activity::kReplan && std::holds_alternative<CannotWrite>(said)) {
      kept_ = std::get<CannotWrite>(said).why;
      return {};
    }
    std::variant<std::vector<PlanVersion>, Complaints> read = agent_plans_from_text(answer);
    if (auto* complaints = std::get_if<Complaints>(&read); complaints != nullptr) {
      return *complaints;
    }
    // Of several plans those that can be taken are enough.
    Complaints complaints;
    for (PlanVersion& each : std::get<std::vector<PlanVersion>>(read)) {
      Complaints about = weigh(each);
      if (about.empty()) {
        plans_.push_back(std::move(each));
      } else if (complaints.empty()) {
        complaints = std::move(about);
      }
    }
    return plans_.empty() ? complaints : Complaints{};
  }

  // The best by the cost model, the first of equals; the others as they were answered.
  std::optional<Planned> planned() {
    const auto best = std::min_element(plans_.begin(), plans_.end(), [](const PlanVersion& a, const PlanVersion& b) {
      return a.modelled_us < b.modelled_us;
    });
    if (best == plans_.end()) {
      return std::nullopt;
    }
    Planned planned{.plan = *best};
    plans_.erase(best);
    planned.others = std::move(plans_);
    return planned;
  }
  const std::string& kept() const { return kept_; }

 private:
  // Notes what the plan promises, or says why it cannot be taken.
  Complaints weigh(PlanVersion& plan) const {
    Complaints complaints = complaints_about(plan, material_.bench.plan().graph);
    if (static_cast<int64_t>(plan.sub_tasks.size()) > state_.limits.sub_tasks) {
      complaints.push_back(
          fmt::format("{} sub-tasks are too many: at most {}", plan.sub_tasks.size(), state_.limits.sub_tasks));
    }
    if (!complaints.empty()) {
      return complaints;
    }
    std::variant<PlanCost, Complaints> cost = plan_cost(plan, material_.bench.plan());
    if (auto* refused = std::get_if<Complaints>(&cost); refused != nullptr) {
      return *refused;
    }
    plan.author = Author::kModel;
    plan.modelled_us = std::get<PlanCost>(cost).modelled_us;
    for (size_t i = 0; i < plan.sub_tasks.size(); ++i) {
      plan.sub_tasks[i].floor_us = std::get<PlanCost>(cost).floors_us[i];
    }
    return {};
  }

  const State& state_;
  const Material& material_;
  std::vector<PlanVersion> plans_;
  std::string kept_;
};

// The expert's cut, and where two of its steps may be one, that.
std::string plans_by_rule(const Material& material) {
  std::vector<PlanVersion> plans = {expert_agent_plan(material.bench.plan())};
  std::optional<PlanVersion> joined = joined_plan(material.bench.plan(), [&](const SubTask& sub_task) {
    return material.bench.text_by_rule(sub_task, 0).has_value();
  });
  if (joined.has_value()) {
    plans.push_back(std::move(*joined));
  }
  return agent_plans_to_json(plans).dump();
}

// What was passed over before, once.
std::string replan_by_rule(const State& state) {
  const auto other = std::find_if(state.passed_over.begin(), state.passed_over.end(),
                                  [&](const PlanVersion& each) { return each.version == state.plans.back().version; });
  return other == state.passed_over.end() ? "cannot, because the expert has no other plan"
                                          : agent_plan_to_json(*other).dump();
}

}  // namespace

Result<Done> ModelPlanner::plan(const State& state, const Material& material) {
  const bool is_replan = state.activity == Activity::kReplan;
  Conversation conversation{
      .role = Role::kPlanner,
      .system = desk_.prompts.fill("planner"),
      .question = desk_.prompts.fill(is_replan ? "planner_replan" : "planner_plan", planner_places(state, material)),
      .returned = "planner_returned"};
  const auto expert_answer = [&] { return is_replan ? replan_by_rule(state) : plans_by_rule(material); };
  PlanTaker taker(state, material);
  STITCH_ASSIGN(Outspoken spoken, converse(desk_, seat_, state, conversation, expert_answer, std::ref(taker)));
  if (std::optional<Planned> planned = taker.planned(); planned.has_value()) {
    planned->plan.trigger = is_replan ? state.decisions.back().reason : "";
    return Done{std::move(*planned), std::move(spoken.spent)};
  }
  if (is_replan) {
    return Done{PlanKept{taker.kept().empty() ? spoken.refused : taker.kept()}, std::move(spoken.spent)};
  }
  STITCH_ASSIGN(Done done, ExpertPlanner().plan(state, material));
  std::get<Planned>(done.body).plan.summary += "; the Planner's answer was not taken: " + spoken.refused;
  done.spent = std::move(spoken.spent);
  return done;
}

}  // namespace stitch::agents
