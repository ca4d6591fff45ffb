// SPDX-License-Identifier: Apache-2.0
// PyTorch program in, verified CUDA program out.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/evidence/manifest.h"
#include "cli/runs/program_digest.h"
#include "cli/stages/admission.h"
#include "cli/stages/baseline.h"
#include "cli/stages/batch.h"
#include "cli/stages/build_ahead.h"
#include "cli/stages/evidence.h"
#include "cli/stages/judge.h"
#include "cli/stages/leave_report.h"
#include "cli/stages/project.h"
#include "cli/stages/python_forms.h"
#include "cli/stages/timed_draws.h"
#include "cli/stages/tuning.h"
#include "plan/batch/any_batch.h"
#include "plan/plan.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

// Everything one run learns, from which its answer and its folder are made.
struct Run {
  Task task;
  fs::path out;
  DeviceKind device = DeviceKind::kEmulated;
  ImportedProgram imported;
  plan::ProgramBatches batches;  // `imported`, and the same program at other batches
  EmittedProgram program;
  std::unique_ptr<BuildAhead> ahead;
  SubjectSet set;
  evaluate::EvaluateReport report;
  NvccResult nvcc;
  int tuned = 0;                              // settings with a measured time
  std::optional<MeasuredProgram> times;       // of a verified program on a GPU
  std::optional<tuning::BaselineTimes> untimed;  // a baseline on the emulated device
  Seconds seconds;
  std::optional<verify::AdmissionReport> admission;  // where somebody has asked for it before
};

Task task_of(const CommandLine& line) {
  Task task;
  std::error_code ignored;
  const fs::path absolute = fs::absolute(line.file, ignored);
  task.file = absolute.lexically_normal().string();
  task.target = line.target;
  task.mode = line.mode;
  task.weights = line.weights.empty() ? "" : fs::absolute(line.weights, ignored).lexically_normal().string();
  task.math = line.math;
  return task;
}

// By measured times where there is a GPU: those that are known, and those taken now.
Result<plan::Plan> plan_program(Session& session, const toolchain::Toolchain& tools, Run& run) {
  const auto planned_by = [&](const plan::MeasuredTimes& times) {
    return plan::plan_any_batch(
        run.batches, [&](const ir::Graph& graph) { return make_plan(session, graph, run.task.math, times); });
  };
  if (run.device != DeviceKind::kCuda) {
    return planned_by({});
  }
  STITCH_ASSIGN(std::optional<Tuning> tuning, Tuning::open(session, tools));
  if (!tuning.has_value()) {
    return planned_by({});
  }
  STITCH_ASSIGN(const plan::Plan estimated, planned_by(tuning->times()));
  STITCH_ASSIGN(const tuning::TuneResult tuned, tuning->run(estimated));
  run.tuned = tuned.known + tuned.measured;
  session.reporter().progress(
      "tune", fmt::format("{} settings measured, {} known before, {} left", tuned.measured, tuned.known, tuned.left));
  return planned_by(tuning->times());
}

// With a declared batch of one the program may be planned for a larger one; otherwise the plan for its declared sizes
// is the one that is emitted, whatever is found out of its batch.
bool may_be_planned_larger(const ir::Graph& graph) {
  const InputShapes shapes = input_shapes(graph);
  return std::any_of(shapes.begin(), shapes.end(),
                     [](const std::vector<int64_t>& shape) { return !shape.empty() && shape.front() == 1; });
}

Result<void> build_ahead(Session& session, const toolchain::Toolchain& tools, Run& run, plan::Plan plan) {
  session.reporter().progress("plan", fmt::format("{} steps from {} operators, {:.1f} us modelled", plan.steps.size(),
                                                  run.imported.operators, plan::declared_modelled_us(plan)));
  STITCH_ASSIGN(EmittedProgram program, emit_again(session, std::move(plan)));
  run.ahead = std::make_unique<BuildAhead>(session, tools, std::move(program.bundle), run.device);
  return {};
}

Result<void> import_and_plan(Session& session, const toolchain::Toolchain& tools, Run& run) {
  Reporter& reporter = session.reporter();
  const double start = reporter.elapsed_seconds();
  STITCH_ASSIGN(run.imported, import_program(session, run.task));
  run.seconds.import = reporter.elapsed_seconds() - start;
  reporter.progress("import",
                    fmt::format("{} -> {} operators, {:.3g} M parameters, {} mode",
                                fs::path(run.task.file).filename().string(), run.imported.operators,
                                static_cast<double>(run.imported.parameters) * 1e-6, run.imported.graph.mode));
  if (run.device == DeviceKind::kEmulated && !may_be_planned_larger(run.imported.graph)) {
    STITCH_ASSIGN(plan::Plan declared, make_plan(session, run.imported.graph, run.task.math));
    STITCH_TRY(build_ahead(session, tools, run, std::move(declared)));
  }
  STITCH_ASSIGN(const BatchAxes axes, find_batch_axes(session, run.task));
  STITCH_ASSIGN(run.batches, import_batches(session, run.task, axes, run.imported.graph));
  STITCH_ASSIGN(plan::Plan made, plan_program(session, tools, run));
  if (run.ahead == nullptr) {
    STITCH_TRY(build_ahead(session, tools, run, made));
  }
  STITCH_ASSIGN(run.program, emit_again(session, std::move(made)));
  run.seconds.plan = reporter.elapsed_seconds() - start - run.seconds.import;
  reporter.progress("batch", describe_batch(run.program.plan));
  return {};
}

// Hidden shapes are imported by the Python process while the compilers work on the step files: they are the same ones.
Result<void> verify(Session& session, const toolchain::Toolchain& tools, Run& run) {
  const double start = session.reporter().elapsed_seconds();
  STITCH_ASSIGN(run.set, make_subjects(session, run.task, run.imported, run.program, run.program.bundle, run.device));
  STITCH_TRY(run.ahead->wait());
  const double subjects_ready = session.reporter().elapsed_seconds();
  STITCH_ASSIGN(run.report, judge(session, tools, run.set, run.device));
  run.seconds.build = subjects_ready - start + run.report.build_seconds;
  run.seconds.verify = session.reporter().elapsed_seconds() - subjects_ready - run.report.build_seconds;
  return {};
}

// What was found out about it as a task: optimize asks nobody, it only tells.
void tell_admission(const Session& session, const toolchain::Toolchain& tools, Run& run) {
  run.admission = known_admission(session, tools, run.task, run.imported, run.device);
  if (run.admission.has_value() && run.admission->status != verify::AdmissionStatus::kAdmitted) {
    run.report.verify.notes.push_back("As a task for others: " + run.admission->sentence());
  }
}

// PyTorch constructs the program at the file's own sizes.
Result<std::optional<tuning::Baseline>> baseline_of(Session& session, const Run& run) {
  STITCH_ASSIGN(std::optional<tuning::Baseline> baseline, find_baseline(session, run.task, run.device));
  if (baseline.has_value() && run.set.scale == "small") {
    baseline->why_none = "ours has reduced sizes here, the program in PyTorch has its own (--scale full)";
  }
  return baseline;
}

// On the emulated device a baseline is run where it was asked for by name, and nothing is told of its time.
Result<void> take_turns_if_asked(Session& session, Run& run) {
  if (run.device == DeviceKind::kCuda || run.report.verify.verdict.kind != VerdictKind::kOk) {
    return {};
  }
  STITCH_ASSIGN(const std::optional<tuning::Baseline> baseline, baseline_of(session, run));
  if (baseline.has_value()) {
    const evaluate::TimedSubject subject =
        timed_draws(session, run.report.verify, run.task.math).value_or(tuning::sample_subject(run.imported.graph));
    STITCH_ASSIGN(run.untimed, take_turns_without_gpu(subject, run.report.compile.library, *baseline));
  }
  return {};
}

Json answer(const Run& run, double total_seconds) {
  const evaluate::VerifyReport& verify = run.report.verify;
  Json json = {{"schema", "stitchcuda.optimize/1"},
               {"task", task_name(run.task.file)},
               {"device", to_string(run.device)},
               {"coder", "expert"},
               {"math", to_string(run.task.math)},
               {"scale", run.set.scale},
               {"operators", run.imported.operators},
               {"steps", run.program.plan.steps.size()},
               {"batch", describe_batch(run.program.plan)},
               {"verdict", to_json(verify.verdict)},
               {"sentence", verdict_text(verify)},
               {"error_ratio", verify.error_ratio},
               {"modelled_us", plan::declared_modelled_us(run.program.plan)},
               {"tuned", run.tuned}};
  json["seconds"] = {{"import", run.seconds.import}, {"plan", run.seconds.plan},     {"build", run.seconds.build},
                     {"nvcc", run.nvcc.seconds},     {"verify", run.seconds.verify}, {"total", total_seconds}};
  if (run.times.has_value()) {
    json["measured"] = to_json(*run.times);
  }
  if (run.untimed.has_value()) {
    json["baseline"] = to_json(*run.untimed, false);
  }
  if (run.admission.has_value()) {
    json["admission"] = {{"status", to_string(run.admission->status)}, {"sentence", run.admission->sentence()}};
  }
  json["nvcc"] = run.nvcc.sentence;
  json["library"] = run.report.compile.library;  // in the cache: what the verdict is about
  json["out"] = run.out.string();
  return json;
}

std::string summary(const Run& run) {
  const plan::Plan& plan = run.program.plan;
  std::string text = fmt::format("{} ({} sizes)\n", verdict_text(run.report.verify), run.set.scale);
  text += run.nvcc.sentence.empty() ? "" : run.nvcc.sentence + "\n";
  text += run.times.has_value() ? describe(*run.times) + "\n" : "";
  text += run.untimed.has_value() ? describe(*run.untimed) + "\n" : "";
  return text + fmt::format("{:.1f} us modelled on {}, {} steps from {} operators, math {}  ->  {}",
                            plan::declared_modelled_us(plan), plan.device, plan.steps.size(), run.imported.operators,
                            to_string(run.task.math), run.out.string());
}

Result<void> leave_results(Session& session, const toolchain::Toolchain& tools, const Run& run, const Json& said) {
  std::map<std::string, std::string> files;
  files["graph.ir"] = plan::print(run.batches);
  files["plan.json"] = plan::to_json(run.program.plan).dump(1) + "\n";
  files["task.json"] = to_json(run.task).dump(1) + "\n";
  files["evidence/result.json"] = said.dump(1) + "\n";
  files["evidence/verify.json"] = evaluate::to_json(run.report.verify).dump(1) + "\n";
  files["evidence/environment.json"] = environment(session, tools).dump(1) + "\n";
  files["evidence/seeds.json"] = seeds(session.line().seed, run.set).dump(1) + "\n";
  STITCH_ASSIGN(PythonForms forms, python_forms(session, run.task, run.program.bundle));
  if (!forms.missing.empty()) {
    session.reporter().progress("forms", "no model_new.py: " + forms.missing);
  }
  files.merge(forms.files);
  Reporter::Wait wait = session.reporter().wait("write", run.out.string());
  STITCH_TRY(install_project(run.program.bundle, files, run.out, [&](const fs::path& fresh) -> Result<void> {
    STITCH_TRY(leave_report(session, run.task, run.imported, fresh));
    STITCH_TRY(write_weights(session, run.task, run.imported, fresh / "weights.safetensors"));
    return write_manifest(fresh);
  }));
  session.run_log().say_installed();
  return {};
}

void keep_in_record(Session& session, const Run& run) {
  session.run_log().learn([&](runs::RunRecord& record) {
    record.verdict = verdict_text(run.report.verify);
    record.modelled_us = plan::declared_modelled_us(run.program.plan);
    record.device = to_string(run.device);
    record.steps = static_cast<int>(run.program.plan.steps.size());
    record.operators = run.imported.operators;
    if (run.times.has_value() && run.times->times.refusal().empty()) {
      record.measured_us = run.times->times.best_us();
    }
  });
  session.run_log().keep(kProgramFile, program_digest(run.program.plan, run.program.bundle).dump(1) + "\n");
}

}  // namespace

Result<int> run_optimize(Session& session) {
  const CommandLine& line = session.line();
  Run run;
  run.task = task_of(line);
  run.out = line.out.empty() ? fs::path("out") / task_name(line.file) : fs::path(line.out);
  STITCH_TRY(check_output_folder(run.out));
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(session));
  STITCH_ASSIGN(run.device, choose_device(session, tools));
  STITCH_TRY(import_and_plan(session, tools, run));
  STITCH_TRY(verify(session, tools, run));
  tell_admission(session, tools, run);
  STITCH_ASSIGN(run.nvcc, compile_with_nvcc(session, tools, run.program.bundle, run.device));
  if (run.device == DeviceKind::kCuda && run.report.verify.verdict.kind == VerdictKind::kOk) {
    STITCH_ASSIGN(const std::optional<tuning::Baseline> baseline, baseline_of(session, run));
    const TimedProgram timed{run.program.plan.graph, run.report.compile.library, run.report.verify, run.task.math,
                             baseline};
    STITCH_ASSIGN(run.times, time_on_gpu(session, tools, timed));
    run.report.verify.verdict = run.times->verdict.value_or(run.report.verify.verdict);
  }
  STITCH_TRY(take_turns_if_asked(session, run));
  const Json said = answer(run, session.reporter().elapsed_seconds());
  STITCH_TRY(leave_results(session, tools, run, said));
  keep_in_record(session, run);
  session.reporter().result(said, summary(run));
  return run.report.verify.verdict.kind == VerdictKind::kOk ? 0 : 1;
}

}  // namespace stitch::cli
