// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/optimize.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "driver/admit/admission.h"
#include "driver/build/build_ahead.h"
#include "driver/build/emulated_turn.h"
#include "driver/import/batch.h"
#include "driver/judge/judge.h"
#include "driver/project/leave_report.h"
#include "driver/project/project.h"
#include "driver/project/python_forms.h"
#include "driver/time/plan_floor.h"
#include "driver/time/timed_draws.h"
#include "driver/time/tuning.h"
#include "plan/batch/any_batch.h"
#include "plan/plan.h"
#include "runs/evidence/manifest.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

// What is under way beside what is reported.
struct Run : OptimizeReport {
  std::unique_ptr<BuildAhead> ahead;
  SubjectSet set;
};

// By measured times where there is a GPU: those that are known, and those taken now; else by those that ship.
Result<plan::Plan> plan_program(Job& job, const toolchain::Toolchain& tools, Run& run) {
  const PlannedBy planned_by = planner_of(job, run.batches, run.task.math);
  std::optional<Tuning> tuning;
  if (run.device == DeviceKind::kCuda) {
    STITCH_ASSIGN(tuning, Tuning::open(job, tools, run.task.math));
  }
  if (!tuning.has_value()) {
    STITCH_ASSIGN(UntunedPlan untuned, plan_untuned(job, run.task.math, planned_by));
    run.times_by = std::move(untuned.times);
    return std::move(untuned.plan);
  }
  STITCH_ASSIGN(TunedPlan tuned, tuning->tune(planned_by));
  run.tuned = tuned.result.known + tuned.result.measured;
  run.compared = std::move(tuned.compared);
  run.last_look = std::move(tuned.last_look);
  job.progress().fact("tune", fmt::format("{} settings measured, {} known before, {} left", tuned.result.measured,
                                          tuned.result.known, tuned.result.left));
  run.times_by = tuning->describe_shipped(tuned.plan);
  if (!run.times_by.empty()) {
    job.progress().fact("times", run.times_by);
  }
  return std::move(tuned.plan);
}

// With a declared batch of one the program may be planned for a larger one; otherwise the plan for its declared sizes
// is the one that is emitted, whatever is found out of its batch.
bool may_be_planned_larger(const ir::Graph& graph) {
  const InputShapes shapes = input_shapes(graph);
  return std::any_of(shapes.begin(), shapes.end(),
                     [](const std::vector<int64_t>& shape) { return !shape.empty() && shape.front() == 1; });
}

Result<void> build_ahead(Job& job, const toolchain::Toolchain& tools, Run& run, plan::Plan plan) {
  job.progress().fact("plan", fmt::format("{} steps from {} operators, {:.1f} us modelled", plan.steps.size(),
                                          run.imported.operators, plan::declared_modelled_us(plan)));
  STITCH_ASSIGN(EmittedProgram program, emit_again(job, std::move(plan)));
  run.ahead = std::make_unique<BuildAhead>(job, tools, std::move(program.bundle), run.device);
  return {};
}

Result<void> import_and_plan(Job& job, const toolchain::Toolchain& tools, Run& run) {
  const double start = job.elapsed_seconds();
  STITCH_TRY(look_ahead(job, run.task, run.device == DeviceKind::kCuda));
  STITCH_ASSIGN(run.imported, import_program(job, run.task));
  run.seconds.import = job.elapsed_seconds() - start;
  job.progress().fact("import",
                      fmt::format("{} -> {} operators, {:.3g} M parameters, {} mode",
                                  fs::path(run.task.file).filename().string(), run.imported.operators,
                                  static_cast<double>(run.imported.parameters) * 1e-6, run.imported.graph.mode));
  if (run.device == DeviceKind::kEmulated && !may_be_planned_larger(run.imported.graph)) {
    STITCH_ASSIGN(plan::Plan declared, make_plan(job, run.imported.graph, run.task.math));
    STITCH_TRY(build_ahead(job, tools, run, std::move(declared)));
  }
  STITCH_ASSIGN(const BatchAxes axes, find_batch_axes(job, run.task));
  STITCH_ASSIGN(run.batches, import_batches(job, run.task, axes, run.imported.graph));
  STITCH_ASSIGN(plan::Plan made, plan_program(job, tools, run));
  if (run.ahead == nullptr) {
    STITCH_TRY(build_ahead(job, tools, run, made));
  }
  STITCH_ASSIGN(run.program, emit_again(job, std::move(made)));
  run.seconds.plan = job.elapsed_seconds() - start - run.seconds.import;
  job.progress().fact("batch", describe_batch(run.program.plan));
  return {};
}

// Hidden shapes are imported by the Python process while the compilers work on the step files: they are the same ones.
Result<void> verify(Job& job, const toolchain::Toolchain& tools, Run& run) {
  const double start = job.elapsed_seconds();
  STITCH_ASSIGN(run.set, make_subjects(job, run.task, run.imported, run.program, run.program.bundle, run.device));
  run.scale = run.set.scale;
  STITCH_TRY(run.ahead->wait());
  const double subjects_ready = job.elapsed_seconds();
  STITCH_ASSIGN(run.report, judge(job, tools, run.set, run.device));
  run.seconds.build = subjects_ready - start + run.report.build_seconds;
  run.seconds.verify = job.elapsed_seconds() - subjects_ready - run.report.build_seconds;
  return {};
}

// Runs of agents may be many, each of which waits for models most of the time: they take turns.
Result<void> verify_in_turn(Job& job, const toolchain::Toolchain& tools, Run& run) {
  STITCH_ASSIGN(const auto turn, take_emulated_turn(job, tools, run.device));
  return verify(job, tools, run);
}

// Whoever is asked leaves a program that was judged as the expert's was, or the expert's.
Result<void> improve(Job& job, const toolchain::Toolchain& tools, Improver& improver, Run& run) {
  if (run.report.verify.verdict().kind != VerdictKind::kOk) {
    return {};
  }
  Workbench workbench(job, tools, {run.task, run.imported, run.program, run.set, run.device, run.report});
  STITCH_ASSIGN(run.improvement, improver.improve(workbench));
  STITCH_ASSIGN(Workbench::Best best, workbench.best());
  if (!best.why.empty()) {
    job.progress().fact("agents", best.why);
    run.improvement->authors.clear();
    for (size_t i = 0; i < best.program.plan.steps.size(); ++i) {
      run.improvement->authors.push_back({key_of_step(best.program.plan, i), "expert"});
    }
  }
  run.program = std::move(best.program);
  run.report = std::move(best.report);
  run.set = std::move(best.set);
  return {};
}

// What was found out about it as a task: optimize asks nobody, it only tells.
void tell_admission(const toolchain::Toolchain& tools, Run& run) {
  run.admission = known_admission(tools, run.task, run.imported, run.device);
  if (run.admission.has_value() && run.admission->status != verify::AdmissionStatus::kAdmitted) {
    run.report.verify.notes.push_back("As a task for others: " + run.admission->message());
  }
}

// PyTorch constructs the program at the file's own sizes.
Result<std::optional<tuning::Baseline>> baseline_of(Job& job, const Run& run) {
  STITCH_ASSIGN(std::optional<tuning::Baseline> baseline, find_baseline(job, run.task, run.device));
  if (baseline.has_value() && run.scale == "small") {
    baseline->why_none = "ours has reduced sizes here, the program in PyTorch has its own (--scale full)";
  }
  return baseline;
}

// On the emulated device a baseline is run where it was asked for by name, and nothing is told of its time.
Result<void> take_turns_if_asked(Job& job, const toolchain::Toolchain& tools, Run& run) {
  if (run.report.verify.verdict().kind != VerdictKind::kOk) {
    return {};
  }
  STITCH_ASSIGN(const std::optional<tuning::Baseline> baseline, baseline_of(job, run));
  if (baseline.has_value()) {
    const evaluate::TimedSubject subject =
        timed_draws(job, run.report.verify, run.task.math).value_or(tuning::sample_subject(run.imported.graph));
    STITCH_ASSIGN(run.untimed,
                  take_turns_without_gpu(subject, run.report.compile.library, *baseline, tools.confinement.mode));
  }
  return {};
}

Result<void> leave_results(Job& job, const toolchain::Toolchain& tools, const Run& run,
                           const std::vector<std::string>& command) {
  std::map<std::string, std::string> files;
  files["graph.ir"] = plan::print(run.batches);
  files["plan.json"] = plan::to_json(run.program.plan).dump(1) + "\n";
  files["task.json"] = to_json(run.task).dump(1) + "\n";
  files["evidence/result.json"] = to_json(static_cast<const OptimizeReport&>(run)).dump(1) + "\n";
  files["evidence/verify.json"] = evaluate::to_json(run.report.verify).dump(1) + "\n";
  files["evidence/environment.json"] = environment(job, tools).dump(1) + "\n";
  files["evidence/seeds.json"] = seeds(job.options().seed, run.set).dump(1) + "\n";
  STITCH_ASSIGN(PythonForms forms, python_forms(job, run.task, run.program.bundle));
  if (!forms.missing.empty()) {
    job.progress().fact("forms", "no model_new.py: " + forms.missing);
  }
  files.merge(forms.files);
  if (run.improvement.has_value()) {
    std::map<std::string, std::string> more = run.improvement->files;
    files.merge(more);
  }
  const Progress::Wait wait = job.progress().wait("write", run.out.string());
  STITCH_TRY(install_project(run.program.bundle, files, run.out, [&](const fs::path& fresh) -> Result<void> {
    STITCH_TRY(leave_report(job, run.task, run.imported, command, fresh));
    STITCH_TRY(write_weights(job, run.task, run.imported, fresh / "weights.safetensors"));
    return runs::write_manifest(fresh);
  }));
  job.progress().installed();
  return {};
}

// The time that counts, in turns with the program in PyTorch where that is asked for.
Result<void> take_times(Job& job, const toolchain::Toolchain& tools, Run& run) {
  if (run.device == DeviceKind::kCuda && job.options().no_time) {
    return {};
  }
  if (run.device != DeviceKind::kCuda || run.report.verify.verdict().kind != VerdictKind::kOk) {
    return take_turns_if_asked(job, tools, run);
  }
  STITCH_ASSIGN(const std::optional<tuning::Baseline> baseline, baseline_of(job, run));
  const TimedProgram timed{run.program.plan.graph, run.report.compile.library, run.report.verify, run.task.math,
                           baseline};
  STITCH_ASSIGN(run.times, time_on_gpu(job, tools, timed));
  run.report.verify.findings.add(run.times->finding);
  return {};
}

}  // namespace

Result<OptimizeReport> optimize(const OptimizeRequest& request, const Services& services) {
  Job job(request.options, services);
  Run run;
  run.task = request.task;
  run.out = request.out;
  STITCH_TRY(check_output_folder(run.out));
  STITCH_TRY(job.python());  // loads PyTorch, which takes seconds, while compilers are looked for
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(run.device, choose_device(job, tools));
  STITCH_TRY(import_and_plan(job, tools, run));
  STITCH_TRY(request.improver != nullptr ? verify_in_turn(job, tools, run) : verify(job, tools, run));
  if (request.improver != nullptr) {
    STITCH_TRY(improve(job, tools, *request.improver, run));
  }
  tell_admission(tools, run);
  STITCH_ASSIGN(run.nvcc, compile_with_nvcc(job, tools, run.program.bundle, run.device));
  STITCH_TRY(take_times(job, tools, run));
  run.seconds.total = job.elapsed_seconds();
  STITCH_TRY(leave_results(job, tools, run, request.command));
  return OptimizeReport(std::move(run));
}

Json to_json(const OptimizeReport& run) {
  const evaluate::VerifyReport& verify = run.report.verify;
  Json json = {{"schema", "stitchcuda.optimize/1"},
               {"task", task_name(run.task.file)},
               {"device", to_string(run.device)},
               {"coder", run.improvement.has_value() ? run.improvement->coder : "expert"},
               {"math", to_string(run.task.math)},
               {"scale", run.scale},
               {"operators", run.imported.operators},
               {"steps", run.program.plan.steps.size()},
               {"batch", describe_batch(run.program.plan)},
               {"seed", evaluate::seed_json(verify)},
               {"verdict", to_json(verify.verdict())},
               {"sentence", verdict_text(verify)},
               {"error_ratio", verify.error_ratio},
               {"modelled_us", plan::declared_modelled_us(run.program.plan)},
               {"tuned", run.tuned}};
  const std::optional<double> floor_us = plan_floor_us(run.program.plan, run.task.math);
  json["floor_us"] = floor_us.has_value() ? Json(*floor_us) : Json();
  if (!run.times_by.empty()) {
    json["times_by"] = run.times_by;
  }
  json["seconds"] = {{"import", run.seconds.import}, {"plan", run.seconds.plan},     {"build", run.seconds.build},
                     {"nvcc", run.nvcc.seconds},     {"verify", run.seconds.verify}, {"total", run.seconds.total}};
  for (const auto& [part, seconds] : run.imported.seconds) {
    json["seconds"]["import_parts"][part] = seconds;
  }
  if (!run.compared.empty()) {
    json["whole_plans"] = to_json(run.compared, run.program.plan.form);
  }
  if (!run.last_look.empty()) {
    json["against_untuned"] = to_json(run.last_look);
  }
  if (run.times.has_value()) {
    json["measured"] = to_json(*run.times);
  }
  if (run.untimed.has_value()) {
    json["baseline"] = to_json(*run.untimed, false);
  }
  if (run.admission.has_value()) {
    json["admission"] = {{"status", to_string(run.admission->status)}, {"sentence", run.admission->message()}};
  }
  if (run.improvement.has_value()) {
    json["agents"] = to_json(*run.improvement);
  }
  json["nvcc"] = run.nvcc.message;
  json["library"] = run.report.compile.library;  // in the cache: what the verdict is about
  json["out"] = run.out.string();
  return json;
}

}  // namespace stitch::driver
