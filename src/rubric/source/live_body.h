// SPDX-License-Identifier: Apache-2.0
// Statements that can run, as far as the text alone tells.
#pragma once

#include <vector>

#include "rubric/source/tokens.h"

namespace stitch::rubric {

// The tokens of a function's body without `if (false)` and its kin (`0`, `!true`, `1 == 2`, `x && false`), loops that
// never begin, and what follows an unconditional return in its block. Branches on values of the run stay: only what was
// seen to run tells about those.
std::vector<Token> live_body(const std::vector<Token>& body);

}  // namespace stitch::rubric
