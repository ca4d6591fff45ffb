// SPDX-License-Identifier: Apache-2.0
// How many blocks of a kernel a multiprocessor holds, and what keeps it from holding more. Method: the occupancy
// calculation of NVIDIA's CUDA C++ Programming Guide, "Compute Capabilities", whose limits are architectures.def.
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.h"
#include "profile/values/measurement.h"

namespace stitch::profile {

struct Occupancy {
  int blocks = 0;     // a multiprocessor holds
  double share = 0;   // of the warps that it could hold, 0 to 1
  std::string limit;  // "registers", "shared memory", "threads", "block slots", "blocks" (fewer than multiprocessors)
};

// kProgramInvalid where the launch cannot run at all, kUsage for an architecture that is in no table or where the
// threads of a block or its registers are unknown. `architecture`: "sm_90a".
Result<Occupancy> occupancy_of(const LaunchShape& shape, std::string_view architecture);

}  // namespace stitch::profile
