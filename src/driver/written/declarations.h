// SPDX-License-Identifier: Apache-2.0
// What a file for a group of nodes declares of itself, in comments: scratch memory, and whether it holds for its own
// sizes alone.
#pragma once

#include <string>
#include <variant>

#include "plan/boundaries/boundary.h"

namespace stitch::driver {

struct BadDeclaration {
  std::string why;  // a sentence for whoever wrote it
};

// "// scratch: 4 * h[0] * h[1]" is one term of bytes and extents of operands or results, as many lines as there are
// terms; "// sizes: own" says that sizes of the contract are compiled in ("any" is what is held of a file otherwise).
std::variant<plan::WrittenCode, BadDeclaration> written_code_from_text(const std::string& text);

}  // namespace stitch::driver
