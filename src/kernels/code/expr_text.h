// SPDX-License-Identifier: Apache-2.0
// Expression trees as C++.
#pragma once

#include <string>
#include <vector>

#include "kernels/code/expr.h"

namespace stitch::kernels {

// The names of a functor's loads and positions, in one of its widths.
struct BodyNames {
  std::vector<std::string> loads;      // by access
  std::vector<std::string> positions;  // by number
  bool lanes = false;
};

// The text of `expression`, with the parentheses that C++ demands.
std::string to_text(const Expr& expression, const BodyNames& names);

}  // namespace stitch::kernels
