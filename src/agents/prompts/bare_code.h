// SPDX-License-Identifier: Apache-2.0
// C++ and CUDA without what only people read: of a small model's context it would take a quarter.
#pragma once

#include <string>
#include <string_view>

namespace stitch::agents {

// Without comments and empty lines, but for the declarations that a step makes in comments ("// scratch:", "//
// sizes:").
std::string bare_code(std::string_view text);

}  // namespace stitch::agents
