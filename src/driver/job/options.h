// SPDX-License-Identifier: Apache-2.0
// What a request may say of how its program is planned, built, judged and timed. Plain values; each stage reads its
// own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

enum class DeviceChoice { kAuto, kGpu, kEmulated };
enum class ScaleChoice { kAuto, kFull, kSmall };

struct Options {
  DeviceChoice device = DeviceChoice::kAuto;
  ScaleChoice scale = ScaleChoice::kAuto;
  uint64_t seed = 0;  // a face draws it where nobody names one, and tells it with the verdict alone
  sandbox::CageMode cage = sandbox::CageMode::kCaged;  // of all that runs or compiles candidates

  // Plan and build.
  std::vector<std::string> targets;  // GPU architectures to plan and build for; empty: the one here, or the default
  plan::Libraries libraries = plan::Libraries::kAuto;
  bool line_info = false;                                // nvcc keeps line numbers for profilers
  bool nvtx = false;                                     // a named NVTX range around each step
  bool skip_nvcc = false;                                // for the emulated device: leave out the compilation for a GPU
  uint64_t cache_bytes = toolchain::kDefaultCacheBytes;  // the most that the cache may hold

  // Limits.
  double import_timeout_seconds = 120;          // for running the program's file, its constructor and forward, once
  double call_timeout_seconds = 120;            // for one call of a candidate
  std::optional<double> total_timeout_seconds;  // for all calls of one from outside; empty: by the time of one

  // Times.
  bool no_tune = false;         // choose settings by times that ship, else by estimates
  bool no_time = false;         // on a GPU: a verdict without times
  double tune_seconds = 60;     // no timing of a setting begins after it
  std::string tuning_database;  // empty: in the cache
  std::string baseline;         // "eager", "compile", "graph", "off"; empty: eager on a GPU, none elsewhere
};

}  // namespace stitch::driver
