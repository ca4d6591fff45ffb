// SPDX-License-Identifier: Apache-2.0
// Which bracket closes which, found once: a text of a million open ones must not be read a million times.
#pragma once

#include <vector>

#include "rubric/source/tokens.h"

namespace stitch::rubric {

class Brackets {
 public:
  explicit Brackets(const std::vector<Token>& tokens);
  // The index of the bracket that closes the (, [ or { at `at`; the last token where none does.
  size_t closing(size_t at) const { return closings_.empty() ? 0 : closings_[at]; }

 private:
  std::vector<size_t> closings_;
};

}  // namespace stitch::rubric
