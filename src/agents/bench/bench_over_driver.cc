// SPDX-License-Identifier: Apache-2.0
#include "agents/bench/bench_over_driver.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "agents/coder/host_text.h"
#include "agents/routing/conditions.h"
#include "agents/verifier/fingerprint.h"
#include "artifact/report/feedback.h"
#include "base/fs/files.h"
#include "driver/improve/module_trial.h"
#include "driver/joined/joined_steps.h"
#include "driver/time/step_cost.h"
#include "driver/written/declarations.h"
#include "driver/written/step_nodes.h"
#include "kernels/builtin_templates.h"
#include "plan/cost/cost.h"
#include "plan/streams/step_streams.h"

namespace stitch::agents {
namespace {

constexpr size_t kMaxSourceBytes = 1u << 20;
constexpr const char* kAlone =
    "That is the verdict on the step alone: by its count the program with it would not replace the best one, and was "
    "not judged.";

Time time_of(const driver::TakenTime& taken) {
  return {.kind = taken.source == driver::TimeSource::kMeasured ? TimeKind::kMeasured : TimeKind::kExecuted,
          .us = taken.us,
          .low_us = taken.low_us,
          .high_us = taken.high_us};
}

std::optional<Time> time_of(const std::optional<driver::TakenTime>& taken) {
  return taken.has_value() ? std::optional(time_of(*taken)) : std::nullopt;
}

Outcome outcome_of(const driver::TextTrial& tried) {
  if (tried.is_right()) {
    return Outcome::kRight;
  }
  const bool is_built = tried.refusal.empty() && tried.check->outcome != driver::PublicOutcome::kBuildFailed &&
                        !(tried.verified.has_value() && tried.verified->verdict().kind == VerdictKind::kBuildFailed);
  return is_built ? Outcome::kWrong : Outcome::kNotCompiled;
}

// All of the public check; of a hidden verdict what authors are told of one.
std::string what_may_be_told(const driver::TextTrial& tried, bool is_host) {
  if (!tried.refusal.empty()) {
    return (is_host ? "the choices cannot be: " : "the file cannot be a step: ") + tried.refusal;
  }
  std::string told = driver::describe(*tried.check);
  if (tried.verified.has_value()) {
    told += "\n" + feedback(tried.verified->verdict(), tried.verified->error_ratio);
  }
  return tried.stays_alone ? told + "\n" + kAlone : told;
}

// The first error of a failure, however it came out.
std::string fingerprint_of(const driver::TextTrial& tried, const std::string& told) {
  if (!tried.refusal.empty()) {
    return fingerprint(told);
  }
  if (!tried.verified.has_value()) {
    return fingerprint(tried.check->report.empty() ? told : tried.check->report);
  }
  const Verdict verdict = tried.verified->verdict();
  const bool is_built = verdict.kind != VerdictKind::kBuildFailed || verdict.detail.empty();
  return fingerprint(is_built ? feedback(verdict, tried.verified->error_ratio) : verdict.detail);
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

std::vector<TriedStep> tried_steps(const std::vector<driver::StepOrigin>& origins) {
  std::vector<TriedStep> steps;
  for (const driver::StepOrigin& each : origins) {
    steps.push_back({.step = each.step, .before = each.before, .is_tried = each.is_tried});
  }
  return steps;
}

// What the text declares of itself; as it stands where it does that wrongly.
driver::GroupText text_for(const SubTask& sub_task, const std::string& text) {
  if (sub_task.kind == SubTaskKind::kHost) {
    const auto host = host_from_text(text);
    const auto* choices = std::get_if<plan::HostPlan>(&host);
    return {.host = choices != nullptr ? *choices : plan::HostPlan{}};
  }
  const std::variant<plan::WrittenCode, driver::BadDeclaration> read = driver::written_code_from_text(text);
  const auto* written = std::get_if<plan::WrittenCode>(&read);
  return {sub_task.nodes, written != nullptr ? *written : plan::WrittenCode{text, plan::HoldsFor::kAnySizes, {}}};
}

// What the text itself gives away; empty where it may be tried.
std::string why_no_text(const SubTask& sub_task, const std::string& text) {
  if (sub_task.kind == SubTaskKind::kHost) {
    const auto host = host_from_text(text);
    const auto* fault = std::get_if<std::string>(&host);
    return fault == nullptr ? "" : *fault;
  }
  const auto declared = driver::written_code_from_text(text);
  const auto* bad = std::get_if<driver::BadDeclaration>(&declared);
  return bad == nullptr ? "" : bad->why;
}

// A line a step of run(), in order of launch: its name, its time, what it has to come behind.
std::string steps_in_words(const plan::Plan& plan) {
  const std::vector<std::vector<int>> needed = plan::dependencies_of(plan);
  std::string text;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (plan.steps[i].phase != plan::Phase::kRun) {
      continue;
    }
    std::vector<std::string> earlier;
    for (const int each : needed[i]) {
      earlier.push_back(plan::host_name(plan, static_cast<size_t>(each)));
    }
    text += fmt::format("{}: {:.3f} us modelled, behind {}\n", plan::host_name(plan, i), plan.steps[i].modelled_us,
                        earlier.empty() ? "nothing" : fmt::format("{}", fmt::join(earlier, ", ")));
  }
  return text;
}

// Streams by the model; where times are measured, then plain launches, of whose price no model knows.
std::optional<std::string> host_by_rule(const driver::Workbench& workbench, size_t number) {
  std::vector<plan::HostPlan> offers = plan::offered_host(workbench.plan());
  if (workbench.expert().device == DeviceKind::kCuda) {
    offers.push_back(plan::host_of(workbench.plan()));
    offers.back().choices.replays = !offers.back().choices.replays;
  }
  return number < offers.size() ? std::optional(host_text(offers[number])) : std::nullopt;
}

// What the host has the device do in a call, before the attempt and with it.
std::string counts_in_words(const driver::TextTrial& tried) {
  if (!tried.host_before.has_value() || !tried.host_after.has_value()) {
    return "";
  }
  return fmt::format("\na call before: {}\na call with it: {}", driver::describe(*tried.host_before),
                     driver::describe(*tried.host_after));
}

// The steps of a group in one file; `number` counts the settings of the one that takes longest.
std::optional<std::string> joined_by_rule(const driver::Workbench& workbench, const driver::TextPlace& place,
                                          size_t number) {
  const plan::Plan& plan = workbench.plan();
  std::vector<driver::PartText> parts;
  for (const size_t step : driver::steps_among(plan, place.nodes)) {
    parts.push_back({step, workbench.text_of(driver::key_of_step(plan, step))});
  }
  const auto longest = std::max_element(parts.begin(), parts.end(), [&](const auto& a, const auto& b) {
    return plan.steps[a.step].modelled_us < plan.steps[b.step].modelled_us;
  });
  if (number > 0 && longest != parts.end()) {
    std::optional<std::string> other = workbench.text_by_setting(longest->step, number - 1);
    if (!other.has_value()) {
      return std::nullopt;
    }
    longest->text = std::move(*other);
  }
  return driver::joined_steps(workbench.program(), place, parts);
}

// The verdict on a module as its author may know it.
Trial trial_of(const driver::ModuleTrial& tried) {
  const Verdict verdict = tried.verified.verdict();
  Trial trial{.outcome = tried.is_right()                            ? Outcome::kRight
                         : verdict.kind == VerdictKind::kBuildFailed ? Outcome::kNotCompiled
                                                                     : Outcome::kWrong,
              .told = feedback(verdict, tried.verified.error_ratio),
              .program = time_of(tried.program),
              .seconds = tried.seconds};
  if (!tried.is_right()) {
    trial.fingerprint = fingerprint(trial.told);
  } else if (!tried.program.has_value()) {
    trial.told += "\nIt was not timed: only a GPU tells the time of a ModelNew.";
  }
  return trial;
}

StepFacts facts_in(const plan::Plan& plan, size_t index, StepFacts facts) {
  const plan::Step& step = plan.steps[index];
  const kernels::Group group = plan::step_group(plan, index);
  facts.kind = step.skeleton;
  facts.dtype = group.results.empty() ? "" : short_name(plan.graph.value(group.results.front()).type.dtype);
  facts.floor_us = driver::counted_cost(plan, static_cast<int>(index)).floor_us;
  const kernels::KernelTemplate* kernel = kernels::find_template(step.skeleton);
  const Result<kernels::DeviceLimits> limits = kernels::device_limits(plan.device);
  if (kernel != nullptr && limits.has_value()) {
    facts.limiter = limiter_of(plan::bound_of(kernel->work(group, step.setting), *limits));
  }
  return facts;
}

}  // namespace

Result<DriverBench> DriverBench::make(driver::Workbench& workbench, Judges judges) {
  STITCH_ASSIGN(std::string source, read_file(workbench.expert().task.file));
  source.resize(std::min(source.size(), kMaxSourceBytes));
  return DriverBench(workbench, std::move(source), judges);
}

Ground DriverBench::ground_of(const SubTask& sub_task) const {
  if (sub_task.kind == SubTaskKind::kHost) {
    return {.step = driver::kHostSide,
            .replaced = {driver::kHostSide},
            .skeleton = steps_in_words(workbench_->plan()),
            .present = {{"the choices", host_text(plan::host_of(workbench_->plan()))}},
            .is_host = true};
  }
  if (sub_task.kind == SubTaskKind::kModule) {
    return {.step = driver::kModule, .replaced = {driver::kModule}, .is_module = true};
  }
  const Result<driver::TextPlace> place = workbench_->place_of(sub_task.nodes);
  if (!place.has_value()) {
    return {.why_fixed = place.error().message};
  }
  Ground ground{.step = place->step, .replaced = place->replaced};
  if (place->own.has_value()) {
    ground.present = {{fmt::format("steps/{}.cu", place->step), workbench_->text_of(place->step)}};
    return ground;
  }
  ground.skeleton = place->contract->skeleton;
  for (const driver::StepText& each : place->contract->expert) {
    ground.present.push_back({each.file, each.text});
  }
  return ground;
}

std::optional<std::string> DriverBench::text_by_rule(const SubTask& sub_task, size_t number) const {
  if (sub_task.kind == SubTaskKind::kHost) {
    return host_by_rule(*workbench_, number);
  }
  if (sub_task.kind == SubTaskKind::kModule) {
    return std::nullopt;  // the session has the expert's from the beginning
  }
  const Result<driver::TextPlace> place = workbench_->place_of(sub_task.nodes);
  if (!place.has_value()) {
    return std::nullopt;
  }
  if (!place->own.has_value()) {
    return joined_by_rule(*workbench_, *place, number);
  }
  return number == 0 ? std::optional(workbench_->text_of(place->step))
                     : workbench_->text_by_setting(*place->own, number - 1);
}

Result<Trial> DriverBench::try_text(const SubTask& sub_task, const std::string& text,
                                    const std::optional<Time>& incumbent) {
  if (sub_task.kind == SubTaskKind::kModule) {
    STITCH_ASSIGN(const driver::ModuleTrial tried, workbench_->try_module(text));
    return trial_of(tried);
  }
  if (const std::string why = why_no_text(sub_task, text); !why.empty()) {
    return Trial{.outcome = Outcome::kNotCompiled, .told = why, .fingerprint = fingerprint(why)};
  }
  driver::Workbench::IsWanted is_wanted;
  if (judges_ == Judges::kProgramsThatReplace && incumbent.has_value()) {
    is_wanted = [&](const driver::TakenTime& program) { return is_faster(time_of(program), *incumbent); };
  }
  STITCH_ASSIGN(driver::TextTrial tried, workbench_->try_text(text_for(sub_task, text), is_wanted));
  Trial trial{.outcome = outcome_of(tried),
              .told = what_may_be_told(tried, sub_task.kind == SubTaskKind::kHost) + counts_in_words(tried),
              .incumbent_fails = tried.incumbent_fails,
              .step = time_of(tried.step),
              .program = time_of(tried.program),
              .facts = std::move(tried.facts),
              .seconds = tried.seconds,
              .gpu_seconds = tried.gpu_seconds,
              .steps = tried_steps(tried.steps)};
  if (trial.outcome == Outcome::kRight) {
    judged_ = text;
    report_ = std::move(tried.report);
  } else {
    trial.fingerprint = fingerprint_of(tried, trial.told);
  }
  return trial;
}

Result<std::vector<StepTime>> DriverBench::profile(const SubTask& sub_task, const std::string& text) {
  if (sub_task.kind == SubTaskKind::kModule) {
    return std::vector<StepTime>();
  }
  STITCH_ASSIGN(const driver::TakenTimes taken, workbench_->times_with(text_for(sub_task, text)));
  std::vector<StepTime> times;
  for (const auto& [step, time] : taken.steps) {
    times.push_back({.step = step, .us = time.us});
  }
  return times;
}

StepFacts DriverBench::facts_of(const SubTask& sub_task, const std::string& text, const StepTime& time) const {
  const StepFacts facts{.step = time.step, .us = time.us};
  if (sub_task.kind == SubTaskKind::kModule) {
    return facts;
  }
  const Result<std::optional<plan::Plan>> plan = workbench_->plan_with(text_for(sub_task, text));
  if (!plan.has_value() || !plan->has_value()) {
    return facts;
  }
  for (size_t i = 0; i < (*plan)->steps.size(); ++i) {
    if (driver::key_of_step(**plan, i) == time.step) {
      return facts_in(**plan, i, facts);
    }
  }
  return facts;
}

Result<void> DriverBench::adopt(const SubTask& sub_task, const std::string& text) {
  if (sub_task.kind == SubTaskKind::kModule) {
    return {};  // a file beside the program, whose steps stay as they are
  }
  return workbench_->adopt(text_for(sub_task, text), judged_ == text ? report_ : std::nullopt);
}

Result<std::optional<Time>> DriverBench::program_time() {
  STITCH_ASSIGN(const driver::TakenTimes taken, workbench_->times());
  return time_of(taken.program);
}

}  // namespace stitch::agents
