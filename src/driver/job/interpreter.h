// SPDX-License-Identifier: Apache-2.0
// Which program a worker in Python is.
#pragma once

#include <string>

#include "base/json/json_forward.h"
#include "driver/job/resources.h"

namespace stitch::driver {

// The one that the Python side names in `interface`, its answer to candidate.interface. The word by which that side was
// started may be a script (pyenv puts such in the search path), and a worker's cage runs nothing but its own program.
std::string interpreter_of(const Resources& resources, const Json& interface);

}  // namespace stitch::driver
