// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/brackets.h"

namespace stitch::rubric {

Brackets::Brackets(const std::vector<Token>& tokens)
    : closings_(tokens.size(), tokens.empty() ? 0 : tokens.size() - 1) {
  std::vector<size_t> open;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("(") || token.is("[") || token.is("{")) {
      open.push_back(i);
    } else if ((token.is(")") || token.is("]") || token.is("}")) && !open.empty()) {
      closings_[open.back()] = i;
      open.pop_back();
    }
  }
}

}  // namespace stitch::rubric
