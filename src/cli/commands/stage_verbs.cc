// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "cli/commands/commands.h"
#include "cli/options/request.h"
#include "driver/import/batch.h"
#include "driver/requests/stages.h"
#include "plan/batch/any_batch.h"
#include "plan/plan.h"

namespace stitch::cli {
namespace {

// A stage's text goes to --out, else to standard output.
Result<int> leave(Invocation& invocation, const std::string& text, Json said, const std::string& message) {
  const CommandLine& line = invocation.line();
  if (line.out.empty() && !line.json) {
    invocation.reporter().result(said, text);
    return 0;
  }
  if (line.out.empty()) {
    said["text"] = text;
  } else {
    STITCH_TRY(write_file(line.out, text));
    said["out"] = line.out;
  }
  invocation.reporter().result(said, message + "  ->  " + line.out);
  return 0;
}

}  // namespace

Result<int> run_import(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  driver::ImportRequest request;
  STITCH_ASSIGN(request.options, options_of(line));
  request.task = task_of(line, line.file);
  request.task.file = line.file;
  STITCH_ASSIGN(const driver::ImportReport found, driver::import_stage(request, invocation.services()));
  const int operators = found.imported.operators;
  return leave(invocation, plan::print(found.batches),
               Json{{"schema", "stitchcuda.import/1"}, {"task", task_name(line.file)}, {"operators", operators}},
               fmt::format("{} operators", operators));
}

Result<int> run_plan(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  STITCH_ASSIGN(const plan::Plan made,
                driver::plan_stage({line.file, line.math, std::move(options)}, invocation.services()));
  const std::string batch = driver::describe_batch(made);
  return leave(invocation, plan::to_json(made).dump(1) + "\n", driver::plan_summary(made),
               fmt::format("{} steps, {:.1f} us modelled, batch {}", made.steps.size(),
                           plan::declared_modelled_us(made), batch));
}

Result<int> run_emit(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  const driver::EmitRequest request{line.file, line.out, task_of(line, line.program), std::move(options)};
  STITCH_ASSIGN(const driver::EmitReport found, driver::emit_stage(request, invocation.services()));
  const SourceBundle& bundle = found.bundle;
  invocation.reporter().result(to_json(found), fmt::format("{} files, {} to compile  ->  {}", bundle.files.size(),
                                                           bundle.units.size(), found.out.string()));
  return 0;
}

Result<int> run_build(Invocation& invocation) {
  const CommandLine& line = invocation.line();
  STITCH_ASSIGN(driver::Options options, options_of(line));
  STITCH_ASSIGN(const driver::BuildReport found,
                driver::build_stage({line.file, std::move(options)}, invocation.services()));
  std::string library = found.compile.library;
  if (found.compile.ok && !line.out.empty()) {
    STITCH_ASSIGN(const std::string bytes, read_file(library));
    STITCH_TRY(write_file(line.out, bytes));
    library = line.out;
  }
  invocation.reporter().result(Json{{"schema", "stitchcuda.build/1"},
                                    {"task", found.task},
                                    {"device", to_string(found.device)},
                                    {"verdict", to_json(found.verdict())},
                                    {"library", library},
                                    {"build_key", found.compile.build_key}},
                               found.compile.ok ? library : found.verdict().reason + "\n" + found.verdict().detail);
  return found.compile.ok ? 0 : 1;
}

}  // namespace stitch::cli
