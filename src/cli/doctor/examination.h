// SPDX-License-Identifier: Apache-2.0
// What doctor looks at, part by part. No part returns an Error: what cannot be found out is a finding too.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "cli/doctor/finding.h"
#include "driver/job/resources.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::cli::doctor {

struct Examination {
  driver::Resources resources;
  toolchain::Toolchain tools;
  int64_t probe_timeout_ms = 0;  // of each program that is asked something
};

// The interpreter and its PyTorch.
std::vector<Finding> python_findings(const Examination& examination);
// g++, CUDA's headers, the emulator and its programs.
std::vector<Finding> emulator_findings(const Examination& examination);
// nvcc, GPUs and their driver, CUDA's libraries.
std::vector<Finding> gpu_findings(const Examination& examination);
// Cache, records, memory, cores.
std::vector<Finding> machine_findings(const Examination& examination);
// The layers of the cage.
std::vector<Finding> sandbox_findings(const Examination& examination);
// What reads a candidate's source and machine code.
std::vector<Finding> reading_findings(const Examination& examination);
// The rungs of the profiling ladder.
std::vector<Finding> profiler_findings(const Examination& examination);
// What report.html is made with.
std::vector<Finding> report_findings(const Examination& examination);

}  // namespace stitch::cli::doctor
