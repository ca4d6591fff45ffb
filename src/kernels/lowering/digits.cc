// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/digits.h"

#include <algorithm>

namespace stitch::kernels {

int64_t coefficient(const AffineIndex& index, int loop) {
  for (const Term& term : index.terms) {
    if (term.loop == loop) {
      return term.coefficient;
    }
  }
  return 0;
}

std::vector<Digit> digits_of(const Domain& domain, const Coordinate& coordinate, const std::vector<AffineIndex>& uses) {
  std::vector<int> loops;
  for (const int axis : coordinate.axes) {
    const std::vector<int> more = domain.axis_loops(axis);
    loops.insert(loops.end(), more.begin(), more.end());
  }
  std::vector<Digit> digits;  // innermost first while they are made
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    const bool continues = !digits.empty() && std::all_of(uses.begin(), uses.end(), [&](const AffineIndex& use) {
      return coefficient(use, *loop) == coefficient(use, digits.back().innermost_loop) * digits.back().extent;
    });
    if (continues) {
      digits.back().extent *= domain.extent(*loop);
    } else {
      digits.push_back({*loop, domain.extent(*loop)});
    }
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace stitch::kernels
