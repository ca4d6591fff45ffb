// SPDX-License-Identifier: Apache-2.0
// TOML as JSON: what reads a file of ours need not know in which of the two it was written.
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.h"
#include "base/json/json_forward.h"

namespace stitch::bench {

// `what` names the text in the error. kFileInvalid with the line of the first mistake. Dates are refused.
Result<Json> json_of_toml(std::string_view text, const std::string& what);

}  // namespace stitch::bench
