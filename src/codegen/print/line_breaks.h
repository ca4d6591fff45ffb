// SPDX-License-Identifier: Apache-2.0
// Where clang-format, with the project's settings, breaks a line of code that is too long.
#pragma once

#include <string>
#include <vector>

namespace stitch::codegen {

// `line`, which starts at column `indent`, as lines without that indentation; one where it fits. `is_signature`: it
// declares a function.
std::vector<std::string> broken_code(const std::string& line, size_t indent, bool is_signature);

}  // namespace stitch::codegen
