// SPDX-License-Identifier: Apache-2.0
// Where what outlives a command is kept: records of runs, and who waits for an endpoint.
#pragma once

#include <filesystem>

#include "base/error/result.h"

namespace stitch {

// STITCHCUDA_STATE, else stitchcuda/ under XDG_STATE_HOME or under ~/.local/state; kEnvironment where there is none.
Result<std::filesystem::path> state_folder();

}  // namespace stitch
