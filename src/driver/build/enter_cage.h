// SPDX-License-Identifier: Apache-2.0
// Before the first candidate: what keeps it in, or that nothing does.
#pragma once

#include "driver/job/job.h"

namespace stitch::driver {

inline constexpr const char* kNoSandboxVariable = "STITCHCUDA_UNSAFE_NO_SANDBOX";  // --unsafe-no-sandbox sets it

// kEnvironment where nothing keeps a candidate in and nobody said that this is fine. A cage that is not whole marks
// every verdict.
Result<void> enter_cage(Job& job);

}  // namespace stitch::driver
