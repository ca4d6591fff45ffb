// SPDX-License-Identifier: Apache-2.0
// What a compiler of candidate code may reach: itself, the headers it is told of, and the folder it works in. An
// #include or .incbin of anything else finds nothing.
#pragma once

#include <filesystem>

#include "sandbox/policy/cage_policy.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

// `location` holds the sources and takes what is made of them. `prelude` as in compile_command.
sandbox::CagePolicy tool_cage(const Toolchain& tools, const Target& target, const std::filesystem::path& place,
                              const std::filesystem::path& prelude = {});

}  // namespace stitch::toolchain
