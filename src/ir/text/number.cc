// SPDX-License-Identifier: Apache-2.0
#include "ir/text/number.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace stitch::ir {

std::string format_number(double value) {
  if (std::isnan(value)) {
    return "nan";
  }
  if (std::isinf(value)) {
    return value > 0 ? "inf" : "-inf";
  }
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  return text;
}

std::optional<std::variant<int64_t, double>> parse_number(std::string_view token) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (token == "inf" || token == "-inf") {
    return token == "inf" ? kInfinity : -kInfinity;
  }
  if (token == "nan") {
    return std::numeric_limits<double>::quiet_NaN();
  }
  const char* end = token.data() + token.size();
  int64_t integer = 0;
  if (const auto read = std::from_chars(token.data(), end, integer); read.ec == std::errc{} && read.ptr == end) {
    return integer;
  }
  double real = 0.0;
  if (const auto read = std::from_chars(token.data(), end, real); read.ec == std::errc{} && read.ptr == end) {
    return real;
  }
  return std::nullopt;
}

}  // namespace stitch::ir
