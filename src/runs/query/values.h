// SPDX-License-Identifier: Apache-2.0
// The values that conditions on runs, and the settings of how long they are kept, are written with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/error/result.h"
#include "runs/query/fields.h"

namespace stitch::runs {

// Text, or a number in the field's own unit (seconds, bytes); monostate: none.
using ComparedValue = std::variant<std::monostate, std::string, double>;

// "90", "90s", "15min", "3h", "7d", "2w", "1.5h", in seconds; nullopt for anything else.
std::optional<double> duration_seconds(std::string_view text);
// "4G", "500M", "64k", "1000", in bytes: powers of 1024, a following "B" or "iB" is allowed; nullopt for anything else.
std::optional<double> size_bytes(std::string_view text);

// What stands for `text` in a comparison with that field, or a sentence on what would.
Result<ComparedValue> value_of(const Field& field, const std::string& text, bool is_quoted);

}  // namespace stitch::runs
