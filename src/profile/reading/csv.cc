// SPDX-License-Identifier: Apache-2.0
#include "profile/reading/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace stitch::profile {

Result<std::vector<std::string>> csv_fields(std::string_view line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  bool was_quoted = false;  // this field; its quote is closed
  for (size_t at = 0; at < line.size(); ++at) {
    const char letter = line[at];
    if (is_quoted && letter == '"') {
      is_quoted = at + 1 < line.size() && line[at + 1] == '"';
      if (is_quoted) {
        fields.back() += '"';
        ++at;
      } else {
        was_quoted = true;
      }
    } else if (is_quoted) {
      fields.back() += letter;
    } else if (letter == ',') {
      fields.emplace_back();
      was_quoted = false;
    } else if (letter == '"' && fields.back().empty() && !was_quoted) {
      is_quoted = true;
    } else if (letter == '"' || was_quoted) {
      return failure(ErrorCode::kFileInvalid, fmt::format("column {} has a quote where none may be", fields.size()));
    } else {
      fields.back() += letter;
    }
  }
  if (is_quoted) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("column {} has no closing quote: the line was cut", fields.size()));
  }
  return fields;
}

Result<double> csv_number(std::string_view text, const std::string& what) {
  std::string digits(text);
  std::erase(digits, ',');
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0' || !std::isfinite(value)) {
    return failure(ErrorCode::kFileInvalid,
                   fmt::format("{} is {}, which is no number", what, digits.empty() ? "empty" : digits));
  }
  return value;
}

}  // namespace stitch::profile
