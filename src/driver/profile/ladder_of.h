// SPDX-License-Identifier: Apache-2.0
// The ladder of a folder: which rungs there are for it on this machine, and what the best one says.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "artifact/device_kind.h"
#include "base/json/json_forward.h"
#include "driver/job/job.h"
#include "driver/judge/folder.h"
#include "driver/time/executed_time.h"
#include "profile/judge/bottlenecks.h"
#include "profile/ladder/ladder.h"
#include "profile/reading/machine_code.h"
#include "toolchain/discovery/toolchain.h"

namespace stitch::driver {

struct LadderReport {
  profile::Measurement measured;
  std::vector<profile::RungState> rungs;
  std::vector<profile::CodeOfKernel> code{};  // where machine code was read
  std::vector<profile::Bottleneck> bottlenecks;
  kernels::DeviceLimits limits;  // of the device that times are for
};

struct LadderRequest {
  const Folder& folder;
  DeviceKind device = DeviceKind::kEmulated;
  const std::optional<ExecutedTime>& executed;  // of the emulated device
  std::string not_executed;
  std::optional<profile::RungKind> only;
};

// kEnvironment where `only` is not here.
Result<LadderReport> climb_ladder(Job& job, const toolchain::Toolchain& tools, const LadderRequest& request);

Json to_json(const LadderReport& report);
// Lines for people: the rung, kernels with their bounds, bottlenecks.
std::string describe(const LadderReport& report);

}  // namespace stitch::driver
