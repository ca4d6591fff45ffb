// SPDX-License-Identifier: Apache-2.0
// The headers that every emulated unit begins with, parsed once and kept: parsing them is half of what compiling a step
// costs.
#pragma once

#include <filesystem>

#include "base/error/result.h"
#include "base/process/child.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

// Returns the header to include before a unit, with its parsed form beside it: the one made when stitchcuda was built,
// else the one in the cache, else one made now and kept there. Empty for a GPU build, and where the headers do not
// compile, which the units' own messages then say.
Result<std::filesystem::path> find_prelude(const Target& target, const Toolchain& tools,
                                           const WhenSlow& when_slow = {});

}  // namespace stitch::toolchain
