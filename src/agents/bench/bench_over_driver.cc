// SPDX-License-Identifier: Apache-2.0
#include "agents/bench/bench_over_driver.h"

#include <fmt/format.h>

#include <algorithm>

#include "agents/planner/check_plan.h"
#include "agents/planner/expert_planner.h"
#include "agents/verifier/fingerprint.h"
#include "artifact/report/feedback.h"
#include "base/fs/files.h"
#include "driver/time/step_cost.h"
#include "kernels/builtin_templates.h"
#include "plan/cost/cost.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxSourceBytes = 1u << 20;

Time time_of(const driver::TakenTime& taken) {
  return {.kind = taken.source == driver::TimeSource::kMeasured ? TimeKind::kMeasured : TimeKind::kExecuted,
          .us = taken.us,
          .low_us = taken.low_us,
          .high_us = taken.high_us};
}

std::optional<Time> time_of(const std::optional<driver::TakenTime>& taken) {
  return taken.has_value() ? std::optional(time_of(*taken)) : std::nullopt;
}

Outcome outcome_of(VerdictKind kind) {
  return kind == VerdictKind::kOk            ? Outcome::kRight
         : kind == VerdictKind::kBuildFailed ? Outcome::kNotCompiled
                                             : Outcome::kWrong;
}

Limiter limiter_of(plan::Bound bound) {
  switch (bound) {
    case plan::Bound::kLaunches:
      return Limiter::kLatency;
    case plan::Bound::kMemory:
      return Limiter::kMemory;
    case plan::Bound::kArithmetic:
    case plan::Bound::kLaneOperations:
      return Limiter::kCompute;
  }
  return Limiter::kMemory;
}

std::vector<std::string> sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

DriverBench::DriverBench(driver::Workbench& workbench, std::string source)
    : workbench_(&workbench), source_(std::move(source)) {
  for (const std::vector<ir::NodeId>& own : own_nodes(workbench.plan())) {
    std::vector<std::string>& names = nodes_.emplace_back();
    for (const ir::NodeId node : own) {
      names.push_back(node_name(workbench.plan().graph, node));
    }
    names = sorted(std::move(names));
  }
}

Result<DriverBench> DriverBench::make(driver::Workbench& workbench) {
  STITCH_ASSIGN(std::string source, read_file(workbench.expert().task.file));
  source.resize(std::min(source.size(), kMaxSourceBytes));
  return DriverBench(workbench, std::move(source));
}

std::optional<size_t> DriverBench::step_of(const SubTask& sub_task) const {
  if (sub_task.kind != SubTaskKind::kStep || sub_task.nodes.empty()) {
    return std::nullopt;
  }
  const auto found = std::find(nodes_.begin(), nodes_.end(), sorted(sub_task.nodes));
  return found == nodes_.end() ? std::nullopt : std::optional(static_cast<size_t>(found - nodes_.begin()));
}

Complaints DriverBench::complaints(const PlanVersion& plan) const {
  Complaints complaints;
  for (const SubTask& each : plan.sub_tasks) {
    if (each.kind == SubTaskKind::kStep && !step_of(each).has_value() && complaints.size() < kMaxComplaints) {
      complaints.push_back(fmt::format("the nodes of {} are not those of one group of the expert's plan", each.name));
    }
  }
  return complaints;
}

std::vector<std::string> DriverBench::changed_by(const SubTask& sub_task) const {
  const std::optional<size_t> step = step_of(sub_task);
  return step.has_value() ? std::vector{workbench_->key_of(*step)} : std::vector<std::string>{};
}

std::string DriverBench::why_fixed(const SubTask& sub_task) const {
  const std::optional<size_t> step = step_of(sub_task);
  return step.has_value() ? workbench_->why_fixed(*step) : "no step of the program has just these nodes";
}

std::string DriverBench::text_of(const SubTask& sub_task) const {
  const std::optional<size_t> step = step_of(sub_task);
  return step.has_value() ? workbench_->text_of(*step) : "";
}

std::optional<std::string> DriverBench::text_by_setting(const SubTask& sub_task, size_t alternative) const {
  const std::optional<size_t> step = step_of(sub_task);
  return step.has_value() ? workbench_->text_by_setting(*step, alternative) : std::nullopt;
}

Result<Trial> DriverBench::try_text(const SubTask& sub_task, const std::string& text) {
  const std::optional<size_t> step = step_of(sub_task);
  STITCH_CHECK(step.has_value()) << "a text for " << sub_task.name << ", which is no step";
  STITCH_ASSIGN(driver::TextTrial tried, workbench_->try_text(*step, text));
  const Verdict verdict = tried.verdict();
  Trial trial{.outcome = outcome_of(verdict.kind),
              .told = feedback(verdict, tried.verified.error_ratio),
              .incumbent_fails = tried.incumbent_fails,
              .step = time_of(tried.step),
              .program = time_of(tried.program),
              .facts = std::move(tried.facts),
              .seconds = tried.seconds,
              .gpu_seconds = tried.gpu_seconds};
  if (trial.outcome == Outcome::kRight) {
    judged_ = text;
    report_ = std::move(tried.report);
  } else {
    trial.fingerprint =
        fingerprint(verdict.detail.empty() || trial.outcome == Outcome::kWrong ? trial.told : verdict.detail);
  }
  return trial;
}

Result<std::vector<StepTime>> DriverBench::profile(const SubTask& sub_task, const std::string& text) {
  const std::optional<size_t> changed = step_of(sub_task);
  STITCH_CHECK(changed.has_value()) << "a text for " << sub_task.name << ", which is no step";
  STITCH_ASSIGN(const driver::TakenTimes taken, workbench_->times_with(*changed, text));
  std::vector<StepTime> times;
  for (const auto& [step, time] : taken.steps) {
    times.push_back({.step = workbench_->key_of(step), .us = time.us});
  }
  return times;
}

StepFacts DriverBench::facts_of(const StepTime& time) const {
  StepFacts facts{.step = time.step, .us = time.us};
  for (size_t i = 0; i < plan().steps.size(); ++i) {
    if (workbench_->key_of(i) != time.step) {
      continue;
    }
    const plan::Step& step = plan().steps[i];
    const kernels::Group group = plan::step_group(plan(), i);
    facts.kind = step.skeleton;
    facts.dtype = group.results.empty() ? "" : short_name(plan().graph.value(group.results.front()).type.dtype);
    facts.floor_us = driver::counted_cost(plan(), static_cast<int>(i)).floor_us;
    const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
    const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan().device);
    if (kernel != nullptr && limits.has_value()) {
      facts.limiter = limiter_of(plan::bound_of(kernel->work(group, step.setting), *limits));
    }
  }
  return facts;
}

void DriverBench::adopt(const SubTask& sub_task, const std::string& text) {
  const std::optional<size_t> step = step_of(sub_task);
  STITCH_CHECK(step.has_value()) << "a text for " << sub_task.name << ", which is no step";
  workbench_->adopt(*step, text, judged_ == text ? report_ : std::nullopt);
}

Result<std::optional<Time>> DriverBench::program_time() {
  STITCH_ASSIGN(const driver::TakenTimes taken, workbench_->times());
  return time_of(taken.program);
}

}  // namespace stitch::agents
