// SPDX-License-Identifier: Apache-2.0
// The time of a verified program on this machine's GPU, and whether it may be reported.
#pragma once

#include <optional>
#include <string>

#include "artifact/report/finding.h"
#include "driver/job/job.h"
#include "evaluate/verify/verify_report.h"
#include "ir/graph/graph.h"
#include "toolchain/discovery/toolchain.h"
#include "tuning/measure/time_program.h"

namespace stitch::driver {

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
