// SPDX-License-Identifier: Apache-2.0
#include "driver/requests/stages.h"

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "codegen/emit.h"
#include "driver/import/batch.h"
#include "driver/judge/judge.h"
#include "driver/judge/plan_file.h"
#include "driver/project/project.h"
#include "driver/project/python_forms.h"
#include "driver/time/shipped.h"
#include "toolchain/candidate/candidate_sources.h"

namespace stitch::driver {
namespace {

// A plan lies in every folder that we wrote: without its bundle.json it is a damaged one of ours, and nobody's sources.
bool is_ours(const std::filesystem::path& folder) {
  std::error_code ignored;
  return std::filesystem::exists(folder / "bundle.json", ignored) ||
         std::filesystem::exists(folder / "plan.json", ignored);
}

// A folder that we wrote, or one of CUDA sources that somebody else did.
Result<SourceBundle> read_sources(const Job& job, const std::filesystem::path& folder) {
  if (!is_ours(folder)) {
    const Result<bool> are_there = toolchain::holds_sources(folder);
    if (are_there.has_value() && *are_there) {
      STITCH_ASSIGN(toolchain::CandidateSources sources,
                    toolchain::read_candidate_sources(folder, job.resources().runtime()));
      return std::move(sources.bundle);
    }
  }
  return read_bundle(folder.string());
}

// Compiling for a named architecture needs no GPU here.
Result<DeviceKind> built_device(Job& job, const toolchain::Toolchain& tools) {
  if (job.options().device == DeviceChoice::kEmulated || job.options().targets.empty()) {
    return choose_device(job, tools);
  }
  STITCH_TRY(tools.supports(DeviceKind::kCuda));
  return DeviceKind::kCuda;
}

}  // namespace

Result<ImportReport> import_stage(const ImportRequest& request, const Services& services) {
  Job job(request.options, services);
  Task task = request.task;
  if (request.options.scale == ScaleChoice::kSmall) {
    STITCH_ASSIGN(SmallSizes small, small_sizes(job, task));
    task.sizes = std::move(small.sizes);
  }
  ImportReport report;
  STITCH_ASSIGN(report.imported, import_program(job, task));
  STITCH_ASSIGN(const BatchAxes axes, find_batch_axes(job, task));
  STITCH_ASSIGN(report.batches, import_batches(job, task, axes, report.imported.graph));
  return report;
}

Result<plan::Plan> plan_stage(const PlanRequest& request, const Services& services) {
  const std::string file = request.graph.string();
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(const plan::ProgramBatches program,
                located(plan::parse_batches(text, file), file, "make it again with `stitchcuda import`"));
  Job job(request.options, services);
  if (!request.options.tuning_database.empty() && !names_times_text(job)) {
    return failure(ErrorCode::kFileInvalid, "plan takes measured times as text, and this is none",
                   request.options.tuning_database, "make one with `stitchcuda tune export DB --out FILE`");
  }
  STITCH_ASSIGN(UntunedPlan untuned, plan_untuned(job, request.math, planner_of(job, program, request.math)));
  return std::move(untuned.plan);
}

Json plan_summary(const plan::Plan& plan) {
  return Json{{"schema", "stitchcuda.plan_result/1"},
              {"task", plan.graph.name},
              {"steps", plan.steps.size()},
              {"batch", describe_batch(plan)}};
}

Result<EmitReport> emit_stage(const EmitRequest& request, const Services& services) {
  STITCH_ASSIGN(const plan::Plan made, read_plan_file(request.plan, "run `stitchcuda plan` again"));
  codegen::EmitOptions options;
  options.runtime_folder = services.resources.runtime().string();
  options.architectures = request.options.targets;
  EmitReport report;
  STITCH_ASSIGN(report.bundle, codegen::emit(made, options));
  report.out = request.out.empty() ? std::filesystem::path("out") / report.bundle.name : request.out;
  STITCH_TRY(check_output_folder(report.out));
  std::map<std::string, std::string> files = {{"plan.json", plan::to_json(made).dump(1) + "\n"}};
  if (!request.program.file.empty()) {
    files["task.json"] = to_json(request.program).dump(1) + "\n";
    Job job(request.options, services);
    STITCH_ASSIGN(PythonForms forms, python_forms(job, request.program, report.bundle));
    if (!forms.missing.empty()) {
      return failure(ErrorCode::kProgramInvalid, forms.missing, request.program.file);
    }
    files.merge(forms.files);
  }
  STITCH_TRY(install_project(report.bundle, files, report.out));
  return report;
}

Json to_json(const EmitReport& report) {
  return Json{{"schema", "stitchcuda.emit/1"},
              {"task", report.bundle.name},
              {"files", report.bundle.files.size()},
              {"out", report.out.string()}};
}

Result<BuildReport> build_stage(const BuildRequest& request, const Services& services) {
  const std::string folder = request.folder.string();
  Job job(request.options, services);
  STITCH_ASSIGN(const SourceBundle bundle, located(read_sources(job, request.folder), folder,
                                                   "name a folder that `stitchcuda emit` or optimize wrote"));
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  BuildReport report;
  report.task = bundle.name;
  STITCH_ASSIGN(report.device, built_device(job, tools));
  report.findings.sandbox = tools.confinement.mark;
  if (const auto outside = toolchain::outside_file(bundle)) {
    report.findings.add({Stage::kRead, VerdictKind::kBuildFailed, *outside});
    return report;
  }
  STITCH_ASSIGN(report.compile, build_bundle(job, tools, bundle, report.device, "build"));
  report.findings.proof.builds_only = report.compile.ok;
  if (!report.compile.ok) {
    report.findings.add(build_failed(report.compile, report.device));
  }
  return report;
}

}  // namespace stitch::driver
