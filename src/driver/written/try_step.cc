// SPDX-License-Identifier: Apache-2.0
#include "driver/written/try_step.h"

#include "codegen/emit.h"
#include "driver/judge/judge_folder.h"
#include "driver/judge/step_subject.h"
#include "driver/written/boundaries_with.h"
#include "driver/written/step_nodes.h"

namespace stitch::driver {
namespace {

// Step texts of `folder` that are not as emitted stay, wherever their steps are now.
Result<void> keep_edits(Job& job, const Folder& folder, const plan::Plan& plan, SourceBundle& sources) {
  STITCH_ASSIGN(const EmittedProgram before, emit_again(job, folder.plan));
  for (const auto& [now, then] : kept_steps(folder.plan, plan)) {
    if (plan.steps[now].boundary >= 0) {
      continue;
    }
    const std::string file = codegen::step_file_name(folder.plan, then);
    const auto edited = folder.sources.files.find(file);
    if (edited != folder.sources.files.end() && edited->second != before.bundle.files.at(file)) {
      sources.files[codegen::step_file_name(plan, now)] =
          renumbered_step(edited->second, static_cast<int>(then), static_cast<int>(now));
    }
  }
  return {};
}

Result<AttemptedProgram> with_text(const Folder& folder, const StepAttempt& attempt) {
  STITCH_TRY(boundary_nodes_of(folder.plan, attempt.step));  // is there such a step?
  const auto number = static_cast<size_t>(attempt.step);
  AttemptedProgram attempted{folder, attempt.step};
  STITCH_ASSIGN(attempted.folder.sources.files[codegen::step_file_name(folder.plan, number)],
                plan::renumbered_code(attempt.code, number));
  return attempted;
}

Result<AttemptedProgram> with_boundary(Job& job, const Folder& folder, const plan::Boundary& boundary) {
  AttemptedProgram attempted;
  STITCH_ASSIGN(plan::Plan plan, plan::with_boundaries(folder.plan, boundaries_with(folder.plan, boundary)));
  STITCH_ASSIGN(attempted.folder, with_plan(job, folder, std::move(plan)));
  STITCH_ASSIGN(const size_t step, step_of(attempted.folder.plan, boundary));
  attempted.step = static_cast<int>(step);
  return attempted;
}

bool is_ok(const std::optional<evaluate::EvaluateReport>& report) {
  return report.has_value() && report->verify.verdict().kind == VerdictKind::kOk;
}

// What a verdict was not right about, the program if the step alone was.
Result<void> check_for_author(Job& job, const toolchain::Toolchain& tools, const SubjectSet& set, DeviceKind device,
                              StepTrial& trial) {
  const bool of_program = trial.program.has_value();
  const PublicSubject subject{set.subjects.front(), device,
                              of_program ? std::nullopt : std::optional(trial.attempted.step), nullptr,
                              set.has_strange_steps};
  STITCH_ASSIGN(trial.check, check_publicly(job, tools, subject));
  return {};
}

}  // namespace

Result<Folder> with_plan(Job& job, const Folder& folder, plan::Plan plan) {
  STITCH_ASSIGN(EmittedProgram program, emit_again(job, std::move(plan)));
  STITCH_TRY(keep_edits(job, folder, program.plan, program.bundle));
  return Folder{folder.task, std::move(program.plan), std::move(program.bundle)};
}

bool StepTrial::is_right() const {
  if (program.has_value()) {
    return is_ok(program);
  }
  return alone.has_value() ? is_ok(alone) : check.has_value() && check->outcome == PublicOutcome::kPassed;
}

Result<AttemptedProgram> with_attempt(Job& job, const Folder& folder, const StepAttempt& attempt) {
  return attempt.boundary.has_value() ? with_boundary(job, folder, *attempt.boundary) : with_text(folder, attempt);
}

Result<StepTrial> try_step(Job& job, const toolchain::Toolchain& tools, const Folder& folder,
                           const StepAttempt& attempt, DeviceKind device, TryDepth depth) {
  StepTrial trial;
  STITCH_ASSIGN(trial.attempted, with_attempt(job, folder, attempt));
  const Folder& tried = trial.attempted.folder;
  STITCH_ASSIGN(const ImportedProgram imported, import_program(job, tried.task));
  STITCH_ASSIGN(const EmittedProgram program, emit_again(job, tried.plan));
  STITCH_ASSIGN(SubjectSet first, make_first_subject(job, tried.task, imported, program, tried.sources, device));
  first.has_strange_steps = true;
  bool is_alone = true;
  if (depth != TryDepth::kPublic) {
    STITCH_ASSIGN(auto alone, judge_step(job, tools, first, trial.attempted.step, device));
    is_alone = std::holds_alternative<evaluate::EvaluateReport>(alone);
    if (is_alone) {
      trial.alone = std::get<evaluate::EvaluateReport>(std::move(alone));
    }
  }
  if (!is_alone || (depth == TryDepth::kProgram && is_ok(trial.alone))) {
    STITCH_ASSIGN(SubjectSet set, make_subjects(job, tried.task, imported, program, tried.sources, device));
    set.has_strange_steps = true;
    STITCH_ASSIGN(trial.program, judge(job, tools, set, device));
  }
  if (depth == TryDepth::kPublic || !trial.is_right()) {
    STITCH_TRY(check_for_author(job, tools, first, device, trial));
  }
  return trial;
}

}  // namespace stitch::driver
