// SPDX-License-Identifier: Apache-2.0
// The measured choice of settings: the tuning database of this machine, and the timing that fills it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/report/finding.h"
#include "driver/job/job.h"
#include "evaluate/verify/verify_report.h"
#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/database/database.h"
#include "tuning/measure/time_program.h"
#include "tuning/measure/tune.h"

namespace stitch::driver {

// Measures steps of one math mode on this machine's GPU. Without a GPU nothing is measured, and times from elsewhere
// are not used.
class Tuning {
 public:
  // Empty without a GPU or its compiler, or with --no-tune.
  static Result<std::optional<Tuning>> open(Job& job, const toolchain::Toolchain& tools, MathMode math);

  // Known times, for make_plan(); valid as long as this object.
  plan::MeasuredTimes times() const;
  // Times the settings of `plan` that have no time yet, within the budget.
  Result<tuning::TuneResult> run(const plan::Plan& plan);

 private:
  Tuning(Job& job, const toolchain::Toolchain& tools, tuning::Context context, tuning::TuningDatabase database)
      : job_(&job), tools_(&tools), context_(std::move(context)), database_(std::move(database)) {}

  Job* job_;
  const toolchain::Toolchain* tools_;
  tuning::Context context_;
  tuning::TuningDatabase database_;
};

struct TimedProgram {
  const ir::Graph& graph;  // after all rewrites: what it cannot do without
  const std::string& library;
  const evaluate::VerifyReport& verified;  // its draws are what it is timed on; none: sample values
  MathMode math = MathMode::kFp32;
  std::optional<tuning::Baseline> baseline{};
  std::optional<evaluate::CandidateBinary> binary{};  // what runs, where it is no library
};
struct MeasuredProgram {
  tuning::ProgramTimes times;
  std::string clocks;                // what nvidia-smi told before and after
  double floor_us = 0;               // 0: no datasheet of this device is known
  std::optional<Finding> finding{};  // what the timing found that verification did not
};
// Times a verified program, while no other process of ours times on this GPU.
Result<MeasuredProgram> time_on_gpu(Job& job, const toolchain::Toolchain& tools, const TimedProgram& program);
// "measured 107.5 us (107.1 to 108.0) by CUDA graph, 109.4 us (109.0 to 110.2) by plain launches, prepare 108.3 us,
// floor 85.0 us"; or why no time may be reported.
std::string describe(const MeasuredProgram& measured);
Json to_json(const MeasuredProgram& measured);

}  // namespace stitch::driver
