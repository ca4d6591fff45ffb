// SPDX-License-Identifier: Apache-2.0
// import, plan, emit, build: each reads the file of the stage before and writes its own.
#include <fmt/format.h>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "codegen/emit.h"
#include "driver/build/compile_program.h"
#include "driver/import/batch.h"
#include "driver/import/import_program.h"
#include "driver/judge/judge.h"
#include "driver/project/project.h"
#include "driver/project/python_forms.h"
#include "plan/batch/any_batch.h"
#include "plan/plan.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

// A stage's text goes to --out, else to standard output.
Result<int> leave(Session& session, const std::string& text, Json said, const std::string& sentence) {
  const CommandLine& line = session.line();
  if (line.out.empty() && !line.json) {
    session.reporter().result(said, text);
    return 0;
  }
  if (line.out.empty()) {
    said["text"] = text;
  } else {
    STITCH_TRY(write_file(line.out, text));
    said["out"] = line.out;
  }
  session.reporter().result(said, sentence + "  ->  " + line.out);
  return 0;
}

// Compiling for a named architecture needs no GPU here.
Result<DeviceKind> built_device(driver::Job& job, const toolchain::Toolchain& tools) {
  if (job.options().device == DeviceChoice::kEmulated || job.options().targets.empty()) {
    return choose_device(job, tools);
  }
  STITCH_TRY(tools.supports(DeviceKind::kCuda));
  return DeviceKind::kCuda;
}

}  // namespace

Result<int> run_import(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  Task task = task_of(line, line.file);
  task.file = line.file;
  if (line.scale == ScaleChoice::kSmall) {
    STITCH_ASSIGN(task.sizes, small_sizes(job, task, driver::kSmallFlops));
  }
  STITCH_ASSIGN(const driver::ImportedProgram imported, import_program(job, task));
  STITCH_ASSIGN(const driver::BatchAxes axes, find_batch_axes(job, task));
  STITCH_ASSIGN(const plan::ProgramBatches program, import_batches(job, task, axes, imported.graph));
  return leave(
      session, plan::print(program),
      Json{{"schema", "stitchcuda.import/1"}, {"task", task_name(line.file)}, {"operators", imported.operators}},
      fmt::format("{} operators", imported.operators));
}

Result<int> run_plan(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  STITCH_ASSIGN(const std::string text, read_file(line.file));
  STITCH_ASSIGN(const plan::ProgramBatches program,
                located(plan::parse_batches(text, line.file), line.file, "make it again with `stitchcuda import`"));
  plan::PlanOptions options;
  options.math = line.math;
  options.libraries = line.libraries;
  STITCH_ASSIGN(options.limits, planned_limits(job));
  STITCH_ASSIGN(const plan::Plan made,
                plan::plan_any_batch(program, [&](const ir::Graph& graph) { return plan::make_plan(graph, options); }));
  return leave(session, plan::to_json(made).dump(1) + "\n",
               Json{{"schema", "stitchcuda.plan_result/1"},
                    {"task", made.graph.name},
                    {"steps", made.steps.size()},
                    {"batch", driver::describe_batch(made)}},
               fmt::format("{} steps, {:.1f} us modelled, batch {}", made.steps.size(),
                           plan::declared_modelled_us(made), driver::describe_batch(made)));
}

Result<int> run_emit(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  STITCH_ASSIGN(const std::string text, read_file(line.file));
  STITCH_ASSIGN(const Json json, parse_json(text, line.file));
  STITCH_ASSIGN(const plan::Plan made, located(plan::from_json(json), line.file, "run `stitchcuda plan` again"));
  codegen::EmitOptions options;
  options.runtime_folder = job.resources().runtime().string();
  options.architectures = line.targets;
  STITCH_ASSIGN(const SourceBundle bundle, codegen::emit(made, options));
  const fs::path out = line.out.empty() ? fs::path("out") / bundle.name : fs::path(line.out);
  STITCH_TRY(driver::check_output_folder(out));
  std::map<std::string, std::string> files = {{"plan.json", text}};
  if (!line.program.empty()) {
    STITCH_ASSIGN(driver::PythonForms forms, python_forms(job, task_of(line, line.program), bundle));
    if (!forms.missing.empty()) {
      return failure(ErrorCode::kProgramInvalid, forms.missing, line.program);
    }
    files.merge(forms.files);
  }
  STITCH_TRY(driver::install_project(bundle, files, out));
  session.reporter().result(
      Json{{"schema", "stitchcuda.emit/1"},
           {"task", bundle.name},
           {"files", bundle.files.size()},
           {"out", out.string()}},
      fmt::format("{} files, {} to compile  ->  {}", bundle.files.size(), bundle.units.size(), out.string()));
  return 0;
}

Result<int> run_build(Session& session) {
  const CommandLine& line = session.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  driver::Job job(std::move(options), session.services());
  STITCH_ASSIGN(const SourceBundle bundle,
                located(read_bundle(line.file), line.file, "name a folder that `stitchcuda emit` or optimize wrote"));
  STITCH_ASSIGN(const toolchain::Toolchain tools, find_compilers(job));
  STITCH_ASSIGN(const DeviceKind device, built_device(job, tools));
  STITCH_ASSIGN(const CompileReport report, build_bundle(job, tools, bundle, device, "build"));
  const Verdict verdict = build_verdict(report, device);
  std::string library = report.library;
  if (report.ok && !line.out.empty()) {
    STITCH_ASSIGN(const std::string bytes, read_file(report.library));
    STITCH_TRY(write_file(line.out, bytes));
    library = line.out;
  }
  session.reporter().result(Json{{"schema", "stitchcuda.build/1"},
                                 {"task", bundle.name},
                                 {"device", to_string(device)},
                                 {"verdict", to_json(verdict)},
                                 {"library", library},
                                 {"build_key", report.build_key}},
                            report.ok ? library : verdict.reason + "\n" + verdict.detail);
  return report.ok ? 0 : 1;
}

}  // namespace stitch::cli
