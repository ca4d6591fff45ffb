// SPDX-License-Identifier: Apache-2.0
#include "driver/improve/workbench.h"

#include "codegen/emit.h"
#include "driver/build/emulated_turn.h"
#include "driver/judge/step_subject.h"
#include "driver/score/program_facts.h"

namespace stitch::driver {
namespace {

// A text is wrong for reasons of its own where these are the verdict; of the others the machine may be the reason.
bool may_be_the_machine(VerdictKind kind) {
  return kind == VerdictKind::kWrong || kind == VerdictKind::kCrashed || kind == VerdictKind::kTimedOut ||
         kind == VerdictKind::kUndecided;
}

bool may_be_the_machine(PublicOutcome outcome) {
  return outcome == PublicOutcome::kWrong || outcome == PublicOutcome::kCrashed || outcome == PublicOutcome::kTimedOut;
}

size_t index_of(const plan::Plan& plan, const std::string& key) {
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    if (key_of_step(plan, i) == key) {
      return i;
    }
  }
  STITCH_CHECK(false) << "the best program has no step " << key;
  return 0;
}

VerdictKind kind_of(PublicOutcome outcome) {
  switch (outcome) {
    case PublicOutcome::kPassed:
      return VerdictKind::kOk;
    case PublicOutcome::kBuildFailed:
      return VerdictKind::kBuildFailed;
    case PublicOutcome::kCrashed:
      return VerdictKind::kCrashed;
    case PublicOutcome::kTimedOut:
      return VerdictKind::kTimedOut;
    case PublicOutcome::kWrong:
      return VerdictKind::kWrong;
    case PublicOutcome::kRefused:
      return VerdictKind::kCheated;
  }
  return VerdictKind::kUndecided;
}

// What marks follow from. A text that the public check refused has its outcome for a verdict.
std::string facts_of(const Candidate& candidate, const TextTrial& trial) {
  evaluate::VerifyReport judged;
  if (trial.verified.has_value()) {
    judged = *trial.verified;
  } else {
    judged.findings.add(Finding{Stage::kDraws, kind_of(trial.check->outcome), "the public check"});
  }
  return facts_text(candidate.program.plan, candidate.program.sources, judged, trial.launches);
}

// The step that is judged before the program with it; nothing where the public check found that none can be.
std::optional<int> step_alone(const Candidate& candidate, const TextTrial& trial) {
  return trial.check->why_whole.empty() ? candidate.judged_step : std::nullopt;
}

}  // namespace

Result<TextPlace> Workbench::place_of(const std::vector<std::string>& nodes) {
  if (const auto known = places_.find(nodes); known != places_.end()) {
    return known->second;
  }
  STITCH_ASSIGN(TextPlace place, place_for(expert_.task, best_, nodes));
  places_[nodes] = place;
  return place;
}

const std::string& Workbench::text_of(const std::string& step) const {
  return best_.sources.files.at(codegen::step_file_name(plan(), index_of(plan(), step)));
}

std::optional<std::string> Workbench::text_by_setting(size_t step, size_t alternative) const {
  const std::string path = codegen::step_file_name(plan(), step);
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
    const std::string& text = emitted->bundle.files.at(path);
    if (text != best_.sources.files.at(path) && usable++ == alternative) {
      return text;
    }
  }
  return std::nullopt;
}

Result<const Candidate*> Workbench::candidate(const GroupText& text) {
  if (made_for_ != text) {
    made_for_ = text;
    made_.reset();
    refusal_.clear();
    STITCH_ASSIGN(auto made, make_candidate(text));
    if (auto* refused = std::get_if<NoCandidate>(&made); refused != nullptr) {
      refusal_ = std::move(refused->why);
    } else {
      made_ = std::get<Candidate>(std::move(made));
    }
  }
  return made_.has_value() ? &*made_ : static_cast<const Candidate*>(nullptr);
}

Result<std::variant<Candidate, NoCandidate>> Workbench::make_candidate(const GroupText& text) {
  if (text.host.has_value()) {
    return candidate_with(job_, expert_, best_, *text.host);
  }
  const Result<TextPlace> place = place_of(text.nodes);
  if (!place.has_value()) {
    return std::variant<Candidate, NoCandidate>(NoCandidate{place.error().message});
  }
  return candidate_with(job_, expert_, best_, attempt_at(*place, text.written));
}

Result<std::optional<plan::Plan>> Workbench::plan_with(const GroupText& text) {
  STITCH_ASSIGN(const Candidate* made, candidate(text));
  return made == nullptr ? std::nullopt : std::optional(made->program.plan);
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

Result<PublicCheck> Workbench::check(const SubjectSet& set, std::optional<int> step) {
  const Subject* checked = set.checked.has_value() ? &*set.checked : nullptr;
  return check_publicly(job_, tools_, {set.subjects.front(), expert_.device, step, checked, set.has_strange_steps});
}

// The step whose place the text takes, or the first of several; nothing of the host side.
Result<std::optional<int>> Workbench::replaced_step(const GroupText& text) {
  if (text.host.has_value()) {
    return std::optional<int>();
  }
  STITCH_ASSIGN(const TextPlace place, place_of(text.nodes));
  return std::optional(static_cast<int>(place.replaced.empty() ? 0 : index_of(plan(), place.replaced.front())));
}

// Of the step alone; of the program without one, or where the reference cannot run it by itself.
Result<evaluate::EvaluateReport> Workbench::verdict_on(const SubjectSet& set, std::optional<int> step) {
  if (step.has_value()) {
    STITCH_ASSIGN(auto alone, judge_step(job_, tools_, set, *step, expert_.device));
    if (auto* report = std::get_if<evaluate::EvaluateReport>(&alone); report != nullptr) {
      return std::move(*report);
    }
  }
  return judge(job_, tools_, set, expert_.device);
}

// What it takes the place of; the program where the text failed there alone.
Result<bool> Workbench::incumbent_fails_alike(const GroupText& text, const TextTrial& trial) {
  STITCH_ASSIGN(std::optional<int> step, replaced_step(text));
  if (trial.in_program || !trial.check->why_whole.empty()) {
    step.reset();
  }
  if (!trial.verified.has_value()) {
    if (!may_be_the_machine(trial.check->outcome)) {
      return false;
    }
    STITCH_ASSIGN(const PublicCheck incumbent, check(best_.set, step));
    return incumbent.outcome == trial.check->outcome;
  }
  const VerdictKind kind = trial.verified->verdict().kind;
  if (!may_be_the_machine(kind)) {
    return false;
  }
  STITCH_ASSIGN(const evaluate::EvaluateReport report, verdict_on(best_.set, step));
  return report.verify.verdict().kind == kind;
}

Result<TakenTimes> Workbench::times() {
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
  if (!times_.are_measured()) {
    return times_.executed(best_);
  }
  TakenTimes times;
  if (times_.are_taken()) {
    STITCH_ASSIGN(times.program, times_.measured(best_, expert_.task.math, report_.value_or(expert_.report)));
  }
  return times;
}

Result<std::optional<ReferenceTimes>> Workbench::reference(const TakenTime& expert, double floor_us) {
  const plan::Plan& plan = expert_.program.plan;
  if (!times_.are_measured()) {
    return modelled_reference(plan, expert.us, floor_us);
  }
  if (!times_.are_taken() || expert_.set.scale == "small") {
    return std::optional<ReferenceTimes>();  // the program in PyTorch has its own sizes
  }
  return measured_reference(job_, tools_, expert_.task, plan, expert_.report, floor_us);
}

Result<TakenTimes> Workbench::times_with(const GroupText& text) {
  if (timed_text_ == text && timed_.steps.size() > 1) {
    return timed_;
  }
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
  STITCH_ASSIGN(const Candidate* made, candidate(text));
  if (made == nullptr || !times_.are_taken()) {
    return TakenTimes{};
  }
  return times_.are_measured() ? times_.measured_steps(made->program) : times_.executed(made->program);
}

// Before and after, on the emulated device wherever times come from.
Result<void> Workbench::count_host(const TextProgram& program, const TakenTimes& times, TextTrial& trial) {
  if (!best_host_.has_value()) {
    STITCH_ASSIGN(best_host_, times_.host_counts(best_));
  }
  trial.host_before = best_host_;
  trial.host_after = times.host;
  if (!trial.host_after.has_value()) {
    STITCH_ASSIGN(trial.host_after, times_.host_counts(program));
  }
  return {};
}

Result<void> Workbench::take_times(const GroupText& text, const Candidate& candidate, TextTrial& trial) {
  const double start = job_.elapsed_seconds();
  TakenTimes times;
  const std::string key = candidate.step.has_value() ? key_of_step(candidate.program.plan, *candidate.step) : kHostSide;
  if (!times_.are_measured()) {
    STITCH_ASSIGN(times, times_.executed(candidate.program));
  } else if (times_.are_taken()) {
    STITCH_ASSIGN(times.program, times_.measured(candidate.program, expert_.task.math, *trial.report));
    if (candidate.step.has_value()) {
      STITCH_ASSIGN(times.steps[key], times_.measured_step(candidate.program, *candidate.step));
    }
    trial.gpu_seconds = job_.elapsed_seconds() - start;
  }
  if (!candidate.step.has_value()) {
    STITCH_TRY(count_host(candidate.program, times, trial));
  }
  trial.program = times.program;
  trial.step = times.steps.contains(key) ? std::optional(times.steps[key]) : std::nullopt;
  timed_text_ = text;
  timed_ = std::move(times);
  return {};
}

// What can be found out without the program: by a verdict on the step and by nvcc. Without a finding there may still be
// no verdict.
Result<void> Workbench::judge_alone(const Candidate& candidate, TextTrial& trial) {
  const SubjectSet& set = candidate.program.set;
  if (const std::optional<int> step = step_alone(candidate, trial); step.has_value()) {
    STITCH_ASSIGN(evaluate::EvaluateReport alone, verdict_on(set, step));
    trial.verified = std::move(alone.verify);
    if (trial.verified->verdict().kind != VerdictKind::kOk) {
      return {};
    }
  }
  if (candidate.step.has_value()) {
    STITCH_ASSIGN(std::optional<Finding> refusal, refusal_of_nvcc(set));
    if (refusal.has_value()) {
      trial.verified = trial.verified.value_or(evaluate::VerifyReport());
      trial.verified->findings.add(std::move(refusal));
    }
  }
  return {};
}

Result<void> Workbench::judge_candidate(const Candidate& candidate, TextTrial& trial) {
  SubjectSet set = candidate.program.set;
  const auto launches = std::make_shared<evaluate::LaunchLedger>();
  set.launches = launches;
  STITCH_ASSIGN(trial.report, judge(job_, tools_, set, expert_.device));
  trial.launches = launches->all();
  trial.in_program = true;
  trial.verified = trial.report->verify;
  return {};
}

// The step alone first: most of what is wrong shows there, at a part of the price. Then its count, if whoever asks
// wants no more of a program that is too slow.
Result<void> Workbench::judge_if_wanted(const GroupText& text, const Candidate& candidate, const IsWanted& is_wanted,
                                        TextTrial& trial) {
  STITCH_TRY(judge_alone(candidate, trial));
  if (trial.verified.has_value() && trial.verified->verdict().kind != VerdictKind::kOk) {
    return {};
  }
  if (is_wanted && trial.verified.has_value() && !times_.are_measured()) {
    STITCH_TRY(take_times(text, candidate, trial));
    trial.stays_alone = trial.program.has_value() && !is_wanted(*trial.program);
    if (trial.stays_alone) {
      trial.launches = timed_.launches;
      return {};
    }
  }
  STITCH_TRY(judge_candidate(candidate, trial));
  if (!trial.is_right()) {  // what is not right has no time
    trial.program.reset();
    trial.step.reset();
  }
  return {};
}

// The cage ends who breaks a rule, which looks like a crash: a verdict looks at the library first.
Result<void> Workbench::look_for_cheat(const Candidate& candidate, TextTrial& trial) {
  if (!candidate.step.has_value()) {
    return {};
  }
  STITCH_ASSIGN(evaluate::EvaluateReport report, verdict_on(candidate.program.set, step_alone(candidate, trial)));
  if (report.verify.verdict().kind == VerdictKind::kCheated) {
    trial.verified = std::move(report.verify);
  }
  return {};
}

Result<TextTrial> Workbench::try_text(const GroupText& text, const IsWanted& is_wanted) {
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
  const double start = job_.elapsed_seconds();
  TextTrial trial;
  STITCH_ASSIGN(const Candidate* made, candidate(text));
  if (made == nullptr) {
    trial.refusal = refusal_;
    return trial;
  }
  trial.steps = made->steps;
  STITCH_ASSIGN(trial.check, check(made->program.set, made->judged_step));
  if (trial.check->outcome == PublicOutcome::kPassed) {
    STITCH_TRY(judge_if_wanted(text, *made, is_wanted, trial));
  } else if (trial.check->outcome == PublicOutcome::kCrashed) {
    STITCH_TRY(look_for_cheat(*made, trial));
  }
  if (trial.is_right() && !trial.program.has_value()) {
    STITCH_TRY(take_times(text, *made, trial));
  } else if (!trial.is_right()) {
    STITCH_ASSIGN(trial.incumbent_fails, incumbent_fails_alike(text, trial));
  }
  trial.facts = facts_of(*made, trial);
  trial.seconds = job_.elapsed_seconds() - start;
  return trial;
}

Result<void> Workbench::adopt(const GroupText& text, std::optional<evaluate::EvaluateReport> report) {
  STITCH_ASSIGN(const Candidate* made, candidate(text));
  if (made == nullptr) {
    return failure(ErrorCode::kFileInvalid, "a text that was right before cannot be taken: " + refusal_, {},
                   "begin the run again");
  }
  best_ = made->program;
  is_experts_ = false;
  report_ = std::move(report);
  best_host_.reset();
  places_.clear();
  made_for_.reset();
  made_.reset();
  return {};
}

Result<Workbench::Best> Workbench::best() {
  Best best{expert_.program, expert_.report, expert_.set, ""};
  if (is_experts_) {
    return best;
  }
  if (!report_.has_value()) {
    STITCH_ASSIGN(const auto turn, take_emulated_turn(job_, tools_, expert_.device));
    STITCH_ASSIGN(report_, judge(job_, tools_, best_.set, expert_.device));
  }
  if (report_->verify.verdict().kind != VerdictKind::kOk) {
    best.why = "judged once more, the program with the steps that were written was refused: the expert's stays";
    best_ = of_expert();
    is_experts_ = true;
    report_.reset();
    return best;
  }
  best.program = {best_.plan, best_.sources};
  best.report = *report_;
  best.set = best_.set;
  return best;
}

}  // namespace stitch::driver
