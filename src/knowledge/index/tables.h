// SPDX-License-Identifier: Apache-2.0
// The tables of the index, and how a passage's origin is told by its number alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/error/result.h"
#include "knowledge/source/sources.h"

namespace stitch::knowledge {

// A passage's number is its origin times this, and a count: no table is joined for its weight.
inline constexpr int kOriginShift = 40;

// Writes a whole index into a new file. The row that says it is complete comes last.
Result<void> write_tables(const std::filesystem::path& file, const Collected& collected, const std::string& digest);

}  // namespace stitch::knowledge
