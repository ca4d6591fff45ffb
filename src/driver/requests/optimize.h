// SPDX-License-Identifier: Apache-2.0
// PyTorch program in, verified CUDA program out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "artifact/task/task.h"
#include "driver/improve/improver.h"
#include "driver/project/evidence.h"
#include "driver/time/baseline.h"
#include "driver/time/time_on_gpu.h"
#include "evaluate/pipeline/evaluate.h"
#include "plan/batch/program_batches.h"
#include "tuning/measure/last_look.h"
#include "tuning/measure/whole_plans.h"
#include "verify/admission/admission_report.h"

namespace stitch::driver {

struct OptimizeRequest {
  Task task;
  std::filesystem::path out;  // the folder of results; it takes the place of one that an earlier run left
  Options options;
  std::vector<std::string> command;  // how it was asked for, kept beside the evidence
  Improver* improver = nullptr;      // asked once the expert's program is verified; null: nobody is
};

struct OptimizeReport {
  Task task;
  std::filesystem::path out;
  DeviceKind device = DeviceKind::kEmulated;
  ImportedProgram imported;
  plan::ProgramBatches batches;  // `imported`, and the same program at other batches
  EmittedProgram program;
  std::string scale;  // "full" or "small"
  evaluate::EvaluateReport report;
  NvccResult nvcc;
  int tuned = 0;                                // settings with a measured time
  std::string times_by;                         // what steps were chosen by that nobody measured here; mostly empty
  std::vector<tuning::WholePlan> compared;      // whole plans that were timed beside each other; the plan's form is one
  std::vector<tuning::Challenger> last_look{};  // the tuned program in turns with the untuned one
  std::optional<MeasuredProgram> times;         // of a verified program on a GPU
  std::optional<tuning::BaselineTimes> untimed;  // a baseline on the emulated device
  Seconds seconds;
  std::optional<verify::AdmissionReport> admission;  // where somebody has asked for it before
  std::optional<Improvement> improvement;            // where somebody was asked
};

// Writes the folder of results, whatever the verdict. An Error leaves an earlier folder as it was.
Result<OptimizeReport> optimize(const OptimizeRequest& request, const Services& services);

// evidence/result.json
Json to_json(const OptimizeReport& report);

}  // namespace stitch::driver
