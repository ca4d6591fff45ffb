// SPDX-License-Identifier: Apache-2.0
// Members of a JSON object, as json.h has them, of kinds that fewer files ask for.
#pragma once

#include "base/json/json.h"

namespace stitch {

// An integer that an int holds; kFileInvalid with the key in its sentence otherwise.
Result<int> json_small_int(const Json& object, const char* key);
// An array of strings.
Result<std::vector<std::string>> json_string_list(const Json& object, const char* key);

}  // namespace stitch
