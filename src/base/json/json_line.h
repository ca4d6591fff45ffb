// SPDX-License-Identifier: Apache-2.0
// Files of JSON lines: one object a line, for whatever reader.
#pragma once

#include <string>

#include "base/json/json.h"

namespace stitch {

// `json` on one line, which ends. Characters at which some readers end a line too (U+0085, U+2028, U+2029; Python's
// splitlines is one of them) are escaped: a model's answer may hold any. Bytes that are no UTF-8 are replaced.
std::string json_line(const Json& json);

}  // namespace stitch
