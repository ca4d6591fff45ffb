// SPDX-License-Identifier: Apache-2.0
// What a candidate's library may not ask for: only what no kernel needs. The worker's confinement is the boundary; this
// tells the reason before anything runs.
#pragma once

#include <optional>
#include <string>

#include "elf/facts/library_facts.h"

namespace stitch::elf {

// Why the library is refused, in a sentence; nothing when it may be loaded.
std::optional<std::string> refusal(const LibraryFacts& facts);

}  // namespace stitch::elf
