// SPDX-License-Identifier: Apache-2.0
#include "binding/verbs.h"

#include <string_view>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"
#include "binding/arguments.h"
#include "binding/findings.h"
#include "driver/import/read_exported.h"
#include "driver/requests/report.h"
#include "driver/requests/stages.h"
#include "driver/time/step_cost.h"
#include "ir/graph/op.h"
#include "kernels/template/device_limits.h"
#include "plan/batch/program_batches.h"
#include "runs/evidence/manifest.h"
#include "verify/decide/decide.h"

namespace stitch::binding {
namespace {

using driver::Services;

Result<Json> run_version(const Json& request, const Services&) {
  STITCH_TRY(refuse_others(request, {}));
  return Json{{"version", STITCH_VERSION}};
}

// What a program can be made of and made for.
Result<Json> run_vocabulary(const Json& request, const Services&) {
  STITCH_TRY(refuse_others(request, {}));
  Json operators = Json::array();
  for (const std::string_view name : ir::kOpNames) {
    if (name != ir::kOpNames[ir::index_of(ir::Op::kOpaque)]) {
      operators.push_back(name);
    }
  }
  Json devices = Json::array();
  for (const kernels::DeviceLimits& device : kernels::known_devices()) {
    devices.push_back({{"name", device.name}, {"target", device.architecture}});
  }
  return Json{{"operators", operators}, {"devices", devices}};
}

// A program that a PyTorch process exported; the batch stays as it is there.
Result<Json> run_import(const Json& request, const Services&) {
  STITCH_TRY(refuse_others(request, {"exported"}));
  const auto exported = request.find("exported");
  if (exported == request.end() || !exported->is_object()) {
    return failure(ErrorCode::kUsage, "the argument exported is no object", "exported");
  }
  STITCH_ASSIGN(driver::ImportedProgram imported, driver::read_exported(*exported));
  plan::ProgramBatches program;
  program.graph = std::move(imported.graph);
  return Json{{"schema", "stitchcuda.import/1"},
              {"task", program.graph.name},
              {"operators", imported.operators},
              {"text", plan::print(program)}};
}

Result<Json> run_plan(const Json& request, const Services& services) {
  STITCH_TRY(refuse_others(request, {"graph", "math", "libraries", "targets"}));
  driver::PlanRequest asked;
  STITCH_ASSIGN(asked.graph, text_argument(request, "graph"));
  STITCH_ASSIGN(asked.math, math_argument(request));
  STITCH_ASSIGN(asked.options.libraries, libraries_argument(request));
  STITCH_ASSIGN(asked.options.targets, targets_argument(request));
  STITCH_ASSIGN(const plan::Plan made, driver::plan_stage(asked, services));
  Json said = driver::plan_summary(made);
  said["text"] = plan::to_json(made).dump(1) + "\n";
  return said;
}

// Without the forms in Python: those are made of what the user's program says when it runs.
Result<Json> run_emit(const Json& request, const Services& services) {
  STITCH_TRY(refuse_others(request, {"plan", "out", "targets"}));
  driver::EmitRequest asked;
  STITCH_ASSIGN(asked.plan, text_argument(request, "plan"));
  STITCH_ASSIGN(asked.out, text_argument(request, "out"));
  STITCH_ASSIGN(asked.options.targets, targets_argument(request));
  STITCH_ASSIGN(const driver::EmitReport found, driver::emit_stage(asked, services));
  return to_json(found);
}

// Counted and modelled; what is measured needs a GPU, and a process of its own.
Result<Json> run_costs(const Json& request, const Services&) {
  STITCH_TRY(refuse_others(request, {"plan"}));
  STITCH_ASSIGN(const std::string file, text_argument(request, "plan"));
  STITCH_ASSIGN(const std::string text, read_file(file));
  STITCH_ASSIGN(const Json json, parse_json(text, file));
  STITCH_ASSIGN(const plan::Plan made, located(plan::from_json(json), file, "plan the program again"));
  Json steps = Json::array();
  for (size_t step = 0; step < made.steps.size(); ++step) {
    steps.push_back(to_json(driver::counted_cost(made, static_cast<int>(step))));
  }
  return Json{{"task", made.graph.name}, {"planned_for", made.device}, {"steps", steps}};
}

Result<Json> run_report(const Json& request, const Services& services) {
  STITCH_TRY(refuse_others(request, {"folder", "out"}));
  driver::ReportRequest asked;
  STITCH_ASSIGN(asked.folder, text_argument(request, "folder"));
  STITCH_ASSIGN(asked.page, text_argument_or(request, "out", ""));
  STITCH_ASSIGN(const driver::ReportPage written, driver::report(asked, services));
  return to_json(written);
}

// Whether a folder is as the run that made it left it.
Result<Json> run_manifest(const Json& request, const Services&) {
  STITCH_TRY(refuse_others(request, {"folder"}));
  STITCH_ASSIGN(const std::string folder, text_argument(request, "folder"));
  STITCH_ASSIGN(const runs::ManifestCheck check, runs::check_manifest(folder));
  return Json{{"intact", check.is_intact()}, {"files", check.files},     {"digest", check.digest},
              {"changed", check.changed},    {"missing", check.missing}, {"added", check.added}};
}

// Whoever judges by other means than ours has one rule for what becomes of what was found.
Result<Json> run_decide(const Json& request, const Services&) {
  STITCH_ASSIGN(const verify::Findings findings, findings_argument(request));
  return to_json(verify::decide(findings));
}

constexpr Verb kVerbs[] = {
    {"version", run_version, false}, {"vocabulary", run_vocabulary, false},
    {"import", run_import, false},   {"plan", run_plan, false},
    {"emit", run_emit, true},        {"costs", run_costs, false},
    {"report", run_report, true},    {"manifest", run_manifest, false},
    {"decide", run_decide, false},
};

}  // namespace

std::span<const Verb> verbs() { return kVerbs; }

}  // namespace stitch::binding
