// SPDX-License-Identifier: Apache-2.0
// Comma-separated values as ncu prints them (RFC 4180): every field may stand in quotes, and two quotes in them mean
// one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error/result.h"

namespace stitch::profile {

// One line; kFileInvalid where a quote is left open or stands within a field.
Result<std::vector<std::string>> csv_fields(std::string_view line);

// "1,234.5" is 1234.5. kFileInvalid for what is no number; `what` names it in the sentence.
Result<double> csv_number(std::string_view text, const std::string& what);

}  // namespace stitch::profile
