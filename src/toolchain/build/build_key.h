// SPDX-License-Identifier: Apache-2.0
// Keys by content: never a path of this machine, never a time.
#pragma once

#include <string>
#include <vector>

#include "artifact/source/source_bundle.h"
#include "toolchain/build/commands.h"

namespace stitch::toolchain {

// The key of one unit's object: its text, the headers it reaches, flags and tools. The unit's own name plays no part,
// so that equal texts are compiled once.
std::string unit_key(const SourceBundle& bundle, const std::string& unit, const Target& target, const Toolchain& tools);

// The key of the library that is linked from those objects.
std::string library_key(const std::vector<std::string>& unit_keys, const Target& target, const Toolchain& tools);

}  // namespace stitch::toolchain
