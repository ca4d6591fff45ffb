// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "rubric/source/tokens.h"

namespace stitch::rubric {

// The place of the bracket that closes the (, [ or { at `at`; the last token where none does.
inline size_t closing(const std::vector<Token>& tokens, size_t at) {
  int depth = 0;
  for (size_t i = at; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      ++depth;
    } else if ((token.is(")") || token.is("]") || token.is("}")) && --depth == 0) {
      return i;
    }
  }
  return tokens.empty() ? 0 : tokens.size() - 1;
}

}  // namespace stitch::rubric
