// SPDX-License-Identifier: Apache-2.0
// import, plan, emit, build one by one, as optimize runs them: each takes what the one before made.
#pragma once

#include <filesystem>
#include <string>

#include "artifact/report/compile_report.h"
#include "artifact/source/source_bundle.h"
#include "artifact/task/task.h"
#include "base/json/json_forward.h"
#include "driver/import/import_program.h"
#include "plan/batch/program_batches.h"
#include "plan/plan.h"
#include "verify/decide/decide.h"

namespace stitch::driver {

struct ImportRequest {
  Task task;
  Options options;
};
struct ImportReport {
  ImportedProgram imported;
  plan::ProgramBatches batches;  // it, and the same program at other batches
};
Result<ImportReport> import_stage(const ImportRequest& request, const Services& services);

struct PlanRequest {
  std::filesystem::path graph;  // as the import left it
  MathMode math = MathMode::kFp32;
  Options options;
};
Result<plan::Plan> plan_stage(const PlanRequest& request, const Services& services);
// `plan --json`, without the plan itself
Json plan_summary(const plan::Plan& plan);

struct EmitRequest {
  std::filesystem::path plan;  // as planning left it
  std::filesystem::path out;   // empty: out/NAME
  Task program;                // for its forms in Python; without a file there are none
  Options options;
};
struct EmitReport {
  SourceBundle bundle;
  std::filesystem::path out;
};
// kProgramInvalid where forms in Python were asked for and cannot be made.
Result<EmitReport> emit_stage(const EmitRequest& request, const Services& services);
// `emit --json`
Json to_json(const EmitReport& report);

struct BuildRequest {
  std::filesystem::path folder;  // that emit or optimize wrote, or of somebody else's *.cu
  Options options;
};
struct BuildReport {
  std::string task;  // its name
  DeviceKind device = DeviceKind::kEmulated;
  CompileReport compile;
  verify::Findings findings;
  Verdict verdict() const { return verify::decide(findings); }
};
// Sources that do not compile are a verdict.
Result<BuildReport> build_stage(const BuildRequest& request, const Services& services);

}  // namespace stitch::driver
