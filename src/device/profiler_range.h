// SPDX-License-Identifier: Apache-2.0
// The part of a process that a profiler looks at, for those that are told to wait for it (ncu --profile-from-start
// off).
#pragma once

#include "base/error/result.h"

namespace stitch::device {

// Do nothing where no profiler looks on, and on the emulated device.
Result<void> begin_profiling();
Result<void> end_profiling();

}  // namespace stitch::device
