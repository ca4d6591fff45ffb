// SPDX-License-Identifier: Apache-2.0
// The headers that every emulated unit begins with, parsed once and kept: parsing them is half of what compiling a step
// costs.
#pragma once

#include <filesystem>

#include "base/error/result.h"
#include "base/process/child.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

// The header to include before a unit, with its parsed form beside it: as made when stitchcuda was built, else from the
// cache, else made now and kept there. Empty where there can be none (a GPU build, or headers that do not compile: then
// the units' own messages say so).
Result<std::filesystem::path> find_prelude(const Target& target, const Toolchain& tools,
                                           const WhenSlow& when_slow = {});

}  // namespace stitch::toolchain
