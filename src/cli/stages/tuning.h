// SPDX-License-Identifier: Apache-2.0
// The measured choice of settings: the tuning database of this machine, and the timing that fills it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/stages/session.h"
#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/database/database.h"
#include "tuning/measure/time_program.h"
#include "tuning/measure/tune.h"

namespace stitch::cli {

// What steps of one math mode are measured with here. Nothing without a GPU: then nothing is measured, and nothing that
// was measured elsewhere is used.
class Tuning {
 public:
  // Empty without a GPU or its compiler, or with --no-tune.
  static Result<std::optional<Tuning>> open(Session& session, const toolchain::Toolchain& tools);

  // Known times, for make_plan(); valid as long as this object.
  plan::MeasuredTimes times() const;
  // Times what is not known yet of `plan`, within the budget.
  Result<tuning::TuneResult> run(const plan::Plan& plan);

 private:
  Tuning(Session& session, const toolchain::Toolchain& tools, tuning::Context context, tuning::TuningDatabase database)
      : session_(&session), tools_(&tools), context_(std::move(context)), database_(std::move(database)) {}

  Session* session_;
  const toolchain::Toolchain* tools_;
  tuning::Context context_;
  tuning::TuningDatabase database_;
};

// The times of a verified program, while nobody else times on this GPU.
Result<tuning::ProgramTimes> time_on_gpu(Session& session, const toolchain::Toolchain& tools, const ir::Graph& graph,
                                         const std::string& library);
// "measured 107.5 us by CUDA graph (plain launches 109.4 us), prepare 108.3 us"
std::string describe(const tuning::ProgramTimes& times);

// Where a program's cuBLASLt and cuDNN are on this machine; empty where they are not, or with --libraries off.
std::vector<std::string> library_folders(const Session& session);

}  // namespace stitch::cli
