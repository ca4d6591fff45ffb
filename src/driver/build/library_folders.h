// SPDX-License-Identifier: Apache-2.0
// CUDA's own libraries on this machine.
#pragma once

#include <string>
#include <vector>

#include "driver/job/job.h"

namespace stitch::driver {

// The folders of cuBLASLt and cuDNN on this machine; empty where they are not installed, or with --libraries off.
std::vector<std::string> library_folders(const Job& job);

}  // namespace stitch::driver
