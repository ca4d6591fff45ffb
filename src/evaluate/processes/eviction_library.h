// SPDX-License-Identifier: Apache-2.0
// The library by which a worker in Python empties the L2 cache between timed calls. It lies beside the observer, where
// the worker looks for it.
#pragma once

#include <string>
#include <vector>

#include "artifact/device_kind.h"

namespace stitch::evaluate {

// The one file, for PythonHost::readable; none for a device without a cache, or in a build without nvcc.
std::vector<std::string> eviction_library(DeviceKind device);

}  // namespace stitch::evaluate
