// SPDX-License-Identifier: Apache-2.0
#include "agents/workspace/task_places.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "agents/prompts/quote.h"
#include "agents/roles/context.h"
#include "agents/workspace/own_step.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxStepsBytes = 12'000;

bool is_module(const SubTask& sub_task) { return sub_task.kind == SubTaskKind::kModule; }

// Of nodes that are no step: the session has to take them as one before there is a file.
std::string row_of_group(const SubTask& sub_task, const Material& material, const Pristine& pristine) {
  const bool is_step = sub_task.kind == SubTaskKind::kStep && pristine.form == AnswerForm::kSteps;
  if (!is_step || !material.bench.ground_of(sub_task).why_fixed.empty()) {
    return "";
  }
  return fmt::format("- the nodes {}, as one step (see group): {}; {}\n", fmt::join(sub_task.nodes, ", "),
                     sub_task.expected_gain, sub_task.hint);
}

std::string row_of(const SubTask& sub_task, const Material& material, const Pristine& pristine) {
  const OwnStep own = own_step_of(material.bench, sub_task);
  const auto path = pristine.answers.find(own.step);
  if (path == pristine.answers.end()) {
    return row_of_group(sub_task, material, pristine);
  }
  if (is_module(sub_task)) {
    return fmt::format("- {}: {}\n", path->second, sub_task.hint);
  }
  const std::string& why = own.why_fixed;
  return fmt::format(
      "- {}: {}\n", path->second,
      why.empty() ? fmt::format("{}; {}", sub_task.expected_gain, sub_task.hint) : "cannot be written anew: " + why);
}

// Where the plan has such a sub-task: else nothing is judged of it.
std::string host_in_words(const PlanVersion& plan, const Material& material, const Prompts& prompts) {
  const auto host = std::find_if(plan.sub_tasks.begin(), plan.sub_tasks.end(),
                                 [](const SubTask& each) { return each.kind == SubTaskKind::kHost; });
  if (host == plan.sub_tasks.end()) {
    return "";
  }
  const std::string contract = material.bench.ground_of(*host).skeleton;
  return prompts.fill("workspace_host", {{"contract", quoted("the contract", contract, kMaxContractBytes)}});
}

}  // namespace

std::string rules_of_answer(AnswerForm form, const Prompts& prompts) {
  return prompts.fill(form == AnswerForm::kModule ? "workspace_module" : "workspace_steps");
}

std::map<std::string, std::string> task_places(const State& state, const Material& material, const Pristine& pristine,
                                               const Prompts& prompts) {
  const PlanVersion& plan = state.plans.back();
  std::string steps;
  for (const SubTask& each : plan.sub_tasks) {
    steps += row_of(each, material, pristine);
  }
  return {{"program", state.task.name},
          {"device", fmt::format("{}, judged on {}", material.bench.plan().device, state.task.device)},
          {"math", state.task.math},
          {"plan", quoted("the planner", plan.summary, kMaxNotesBytes)},
          {"answer", rules_of_answer(pristine.form, prompts)},
          {"steps", quoted("the plan", steps, kMaxStepsBytes)},
          {"host", host_in_words(plan, material, prompts)},
          {"source", quoted("the user's program", material.bench.program_source(), kMaxSourceBytes)}};
}

}  // namespace stitch::agents
