// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "agents/coder/answer.h"
#include "agents/planner/check_plan.h"
#include "agents/planner/expert_planner.h"
#include "agents/roles/context.h"
#include "agents/roles/conversation.h"
#include "agents/roles/expert_roles.h"
#include "base/json/json.h"

namespace stitch::agents {
namespace {

// The floors that the expert knows of the same groups.
void add_floors(const PlanVersion& expert, PlanVersion& plan) {
  for (SubTask& each : plan.sub_tasks) {
    std::vector<std::string> nodes = each.nodes;
    std::sort(nodes.begin(), nodes.end());
    for (const SubTask& known : expert.sub_tasks) {
      std::vector<std::string> others = known.nodes;
      std::sort(others.begin(), others.end());
      each.floor_us = others == nodes ? known.floor_us : each.floor_us;
    }
  }
}

class PlanTaker {
 public:
  PlanTaker(const State& state, const Material& material) : state_(state), material_(material) {}

  std::vector<std::string> operator()(const std::string& answer) {
    if (const CoderAnswer said = coder_answer_from_text(answer);
        state_.activity == Activity::kReplan && std::holds_alternative<CannotWrite>(said)) {
      kept_ = std::get<CannotWrite>(said).why;
      return {};
    }
    std::variant<PlanVersion, Complaints> read = agent_plan_from_text(answer);
    if (auto* complaints = std::get_if<Complaints>(&read); complaints != nullptr) {
      return *complaints;
    }
    PlanVersion& plan = std::get<PlanVersion>(read);
    Complaints complaints = complaints_about(plan, material_.bench.plan().graph);
    if (complaints.empty()) {
      complaints = material_.bench.complaints(plan);
    }
    if (static_cast<int64_t>(plan.sub_tasks.size()) > state_.limits.sub_tasks) {
      complaints.push_back(
          fmt::format("{} sub-tasks are too many: at most {}", plan.sub_tasks.size(), state_.limits.sub_tasks));
    }
    if (complaints.empty()) {
      plan.author = Author::kModel;
      add_floors(expert_agent_plan(material_.bench.plan()), plan);
      plan_ = std::move(plan);
    }
    return complaints;
  }

  std::optional<PlanVersion> plan_;
  std::string kept_;

 private:
  const State& state_;
  const Material& material_;
};

}  // namespace

Result<Done> ModelPlanner::plan(const State& state, const Material& material) {
  const bool is_replan = state.activity == Activity::kReplan;
  Conversation conversation{
      .role = Role::kPlanner,
      .system = desk_.prompts.fill("planner"),
      .question = desk_.prompts.fill(is_replan ? "planner_replan" : "planner_plan", planner_places(state, material)),
      .returned = "planner_returned"};
  const auto expert_answer = [&]() -> std::string {
    return is_replan ? "cannot, because the expert has no second plan"
                     : agent_plan_to_json(expert_agent_plan(material.bench.plan())).dump();
  };
  PlanTaker taker(state, material);
  STITCH_ASSIGN(Outspoken spoken, converse(desk_, seat_, state, conversation, expert_answer, std::ref(taker)));
  if (taker.plan_.has_value()) {
    taker.plan_->trigger = is_replan ? state.decisions.back().reason : "";
    return Done{Planned{std::move(*taker.plan_)}, std::move(spoken.spent)};
  }
  if (is_replan) {
    return Done{PlanKept{taker.kept_.empty() ? spoken.refused : taker.kept_}, std::move(spoken.spent)};
  }
  STITCH_ASSIGN(Done done, ExpertPlanner().plan(state, material));
  std::get<Planned>(done.body).plan.summary += "; the Planner's answer was not taken: " + spoken.refused;
  done.spent = std::move(spoken.spent);
  return done;
}

}  // namespace stitch::agents
