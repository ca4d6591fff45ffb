// SPDX-License-Identifier: Apache-2.0
#include "driver/improve/workbench.h"

#include <fmt/format.h>

#include "codegen/emit.h"
#include "driver/build/emulated_turn.h"
#include "driver/judge/step_subject.h"
#include "driver/score/program_facts.h"
#include "driver/time/executed_time.h"
#include "driver/time/step_cost.h"

namespace stitch::driver {
namespace {

// A text is wrong for reasons of its own where these are the verdict; of the others the machine may be the reason.
bool may_be_the_machine(VerdictKind kind) {
  return kind == VerdictKind::kWrong || kind == VerdictKind::kCrashed || kind == VerdictKind::kTimedOut ||
         kind == VerdictKind::kUndecided;
}

}  // namespace

std::string Workbench::path_of(size_t step) const { return codegen::step_file_name(plan(), step); }

std::string Workbench::key_of(size_t step) const { return std::filesystem::path(path_of(step)).stem().string(); }

const std::string& Workbench::text_of(size_t step) const {
  const auto adopted = adopted_.find(path_of(step));
  return adopted != adopted_.end() ? adopted->second : expert_.program.bundle.files.at(path_of(step));
}

std::string Workbench::why_fixed(size_t step) const {
  const std::string path = path_of(step);
  const std::string& text = expert_.program.bundle.files.at(path);
  for (const Subject& subject : expert_.set.subjects) {
    const auto found = subject.bundle.files.find(path);
    if (found == subject.bundle.files.end() || found->second != text) {
      return fmt::format("its text follows from the sizes, and {} needs another one", subject.shape);
    }
  }
  return "";
}

std::optional<std::string> Workbench::text_by_setting(size_t step, size_t alternative) const {
  const auto& alternatives = plan().steps[step].alternatives;
  for (size_t i = 0, usable = 0; i < alternatives.size(); ++i) {
    const Result<plan::Plan> changed = plan::with_setting(plan(), step, alternatives[i].setting);
    if (!changed.has_value() || changed->arena_bytes != plan().arena_bytes ||
        changed->steps[step].extents != plan().steps[step].extents ||
        changed->steps[step].scratch_bytes != plan().steps[step].scratch_bytes ||
        changed->steps[step].kept_bytes != plan().steps[step].kept_bytes ||
        changed->prepared_bytes != plan().prepared_bytes) {
      continue;
    }
    const Result<EmittedProgram> emitted = emit_again(job_, *changed);
    if (!emitted.has_value()) {
      continue;
    }
    const std::string& text = emitted->bundle.files.at(path_of(step));
    if (text != expert_.program.bundle.files.at(path_of(step)) && usable++ == alternative) {
      return text;
    }
  }
  return std::nullopt;
}

SubjectSet Workbench::with_adopted(SubjectSet set) const {
  const auto take = [&](Subject& subject) {
    for (const auto& [path, text] : adopted_) {
      subject.bundle.files[path] = text;
    }
  };
  for (Subject& subject : set.subjects) {
    take(subject);
  }
  if (set.checked.has_value()) {
    take(*set.checked);
  }
  set.is_outside = !adopted_.empty();
  return set;
}

Result<SubjectSet> Workbench::subjects_with(size_t step, const std::string& text) const {
  if (const std::string why = why_fixed(step); !why.empty()) {
    return failure(ErrorCode::kInternal, fmt::format("step {} cannot be written anew: {}", key_of(step), why));
  }
  SubjectSet set = with_adopted(expert_.set);
  for (Subject& subject : set.subjects) {
    subject.bundle.files[path_of(step)] = text;
  }
  if (set.checked.has_value()) {
    set.checked->bundle.files[path_of(step)] = text;
  }
  set.is_outside = true;
  set.has_strange_steps = true;  // so that the step alone, which is judged first, is looked at before it is loaded, too
  return set;
}

// The emulated device takes more than nvcc does, and a program that a GPU's compiler refuses is none.
Result<std::optional<Finding>> Workbench::refusal_of_nvcc(const SubjectSet& set) {
  if (expert_.device == DeviceKind::kCuda || job_.options().skip_nvcc ||
      !tools_.supports(DeviceKind::kCuda).has_value()) {
    return std::optional<Finding>();
  }
  STITCH_ASSIGN(const CompileReport built,
                build_bundle(job_, tools_, set.subjects.front().bundle, DeviceKind::kCuda, ""));
  return built.ok ? std::optional<Finding>() : std::optional(build_failed(built, DeviceKind::kCuda));
}

Result<bool> Workbench::incumbent_fails_alike(size_t step, const TextTrial& trial) {
  if (!may_be_the_machine(trial.verdict().kind)) {
    return false;
  }
  const SubjectSet set = with_adopted(expert_.set);
  STITCH_ASSIGN(const evaluate::EvaluateReport report,
                trial.in_program ? judge(job_, tools_, set, expert_.device)
                                 : judge_step(job_, tools_, set, static_cast<int>(step), expert_.device));
  return report.verify.verdict().kind == trial.verdict().kind;
}

// At the sizes that a verdict is made at: they are chosen so that the emulated device gets through many runs of them.
Result<TakenTimes> Workbench::executed_times(const SubjectSet& set) {
  const Subject& subject = set.subjects.front();
  const bool is_declared = set.scale == "full";
  STITCH_ASSIGN(const ExecutedTime executed, executed_time(job_, tools_,
                                                           {.plan = subject.plan,
                                                            .sources = subject.bundle,
                                                            .declared = is_declared ? nullptr : &plan(),
                                                            .sizes = subject.shape}));
  TakenTimes times;
  if (!executed.refusal.empty()) {
    job_.progress().fact("executed", executed.refusal);
    return times;
  }
  const auto counted = [](double us) { return TakenTime{TimeSource::kExecuted, us, us, us}; };
  times.program = counted(executed.executed_us);
  for (const plan::StepExecution& each : executed.steps) {
    if (each.step >= 0) {
      times.steps[static_cast<size_t>(each.step)] = counted(each.executed_us);
    }
  }
  return times;
}

Result<std::optional<TakenTime>> Workbench::measured_time(const evaluate::EvaluateReport& report) {
  STITCH_ASSIGN(const MeasuredProgram measured,
                time_on_gpu(job_, tools_, {plan().graph, report.compile.library, report.verify, expert_.task.math}));
  if (const std::string refusal = measured.times.refusal(); !refusal.empty()) {
    job_.progress().fact("time", refusal);
    return std::optional<TakenTime>();
  }
  const evaluate::Timing& best = measured.times.graph_is_faster() ? measured.times.graph : measured.times.plain;
  return std::optional(TakenTime{TimeSource::kMeasured, best.median_us, best.interval.low, best.interval.high});
}

Result<TakenTime> Workbench::measured_step(size_t step, const std::string& text) {
  if (const auto known = measured_.find({step, text}); known != measured_.end()) {
    return known->second;
  }
  StepCost cost = counted_cost(plan(), static_cast<int>(step));
  STITCH_TRY(measure_cost(job_, tools_, plan(), text, cost));
  const double half = 0.5 * cost.spread * *cost.measured_us;
  const TakenTime time{TimeSource::kMeasured, *cost.measured_us, *cost.measured_us - half, *cost.measured_us + half};
  measured_[{step, text}] = time;
  return time;
}

Result<TakenTimes> Workbench::measured_steps(const SubjectSet& set) {
  TakenTimes times;
  for (size_t i = 0; i < plan().steps.size(); ++i) {
    if (plan().steps[i].phase == plan::Phase::kRun) {
      STITCH_ASSIGN(times.steps[i], measured_step(i, set.subjects.front().bundle.files.at(path_of(i))));
    }
  }
  return times;
}

Result<TakenTimes> Workbench::times() {
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
  const SubjectSet set = with_adopted(expert_.set);
  if (expert_.device != DeviceKind::kCuda) {
    return executed_times(set);
  }
  TakenTimes times;
  if (!job_.options().no_time) {
    STITCH_ASSIGN(times.program, measured_time(report_.value_or(expert_.report)));
  }
  return times;
}

Result<TakenTimes> Workbench::times_with(size_t step, const std::string& text) {
  if (timed_text_ == text && timed_.steps.contains(step) && timed_.steps.size() > 1) {
    return timed_;
  }
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
  STITCH_ASSIGN(const SubjectSet set, subjects_with(step, text));
  if (expert_.device != DeviceKind::kCuda) {
    return executed_times(set);
  }
  return job_.options().no_time ? Result<TakenTimes>(TakenTimes{}) : measured_steps(set);
}

Result<void> Workbench::take_times(size_t step, const std::string& text, const SubjectSet& set, TextTrial& trial) {
  const double start = job_.elapsed_seconds();
  TakenTimes times;
  if (expert_.device != DeviceKind::kCuda) {
    STITCH_ASSIGN(times, executed_times(set));
  } else if (!job_.options().no_time) {
    STITCH_ASSIGN(times.program, measured_time(*trial.report));
    STITCH_ASSIGN(times.steps[step], measured_step(step, text));
    trial.gpu_seconds = job_.elapsed_seconds() - start;
  }
  trial.program = times.program;
  trial.step = times.steps.contains(step) ? std::optional(times.steps[step]) : std::nullopt;
  timed_text_ = text;
  timed_ = std::move(times);
  return {};
}

Result<TextTrial> Workbench::try_text(size_t step, const std::string& text) {
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
  const double start = job_.elapsed_seconds();
  TextTrial trial;
  STITCH_ASSIGN(SubjectSet set, subjects_with(step, text));
  STITCH_ASSIGN(evaluate::EvaluateReport alone, judge_step(job_, tools_, set, static_cast<int>(step), expert_.device));
  trial.verified = std::move(alone.verify);
  const auto launches = std::make_shared<evaluate::LaunchLedger>();
  bool is_right = trial.verdict().kind == VerdictKind::kOk;
  if (is_right) {
    STITCH_ASSIGN(std::optional<Finding> refusal, refusal_of_nvcc(set));
    trial.verified.findings.add(std::move(refusal));
    is_right = trial.verdict().kind == VerdictKind::kOk;
  }
  if (is_right) {
    set.launches = launches;
    STITCH_ASSIGN(trial.report, judge(job_, tools_, set, expert_.device));
    trial.in_program = true;
    trial.verified = trial.report->verify;
    is_right = trial.verdict().kind == VerdictKind::kOk;
  }
  if (is_right) {
    STITCH_TRY(take_times(step, text, set, trial));
  } else {
    STITCH_ASSIGN(trial.incumbent_fails, incumbent_fails_alike(step, trial));
  }
  trial.facts = facts_text(plan(), set.subjects.front().bundle, trial.verified, launches->launches());
  trial.seconds = job_.elapsed_seconds() - start;
  return trial;
}

void Workbench::adopt(size_t step, const std::string& text, std::optional<evaluate::EvaluateReport> report) {
  adopted_[path_of(step)] = text;
  report_ = std::move(report);
}

Result<Workbench::Best> Workbench::best() {
  Best best{expert_.program.bundle, expert_.report, expert_.set, ""};
  if (adopted_.empty()) {
    return best;
  }
  SubjectSet set = with_adopted(expert_.set);
  if (!report_.has_value()) {
    STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
    STITCH_ASSIGN(report_, judge(job_, tools_, set, expert_.device));
  }
  if (report_->verify.verdict().kind != VerdictKind::kOk) {
    best.why = "judged once more, the program with the steps that were written was refused: the expert's stays";
    adopted_.clear();
    report_.reset();
    return best;
  }
  for (const auto& [path, text] : adopted_) {
    best.bundle.files[path] = text;
  }
  best.report = *report_;
  best.set = std::move(set);
  return best;
}

}  // namespace stitch::driver
