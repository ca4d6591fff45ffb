// SPDX-License-Identifier: Apache-2.0
// Numbers in IR text: an integer has no point, a double always has one (or an exponent, or is inf or nan), and reading
// back what was written gives the same bits.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace stitch::ir {

std::string format_number(double value);
// nullopt when `token` is no number as a whole.
std::optional<std::variant<int64_t, double>> parse_number(std::string_view token);

}  // namespace stitch::ir
