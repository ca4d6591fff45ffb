// SPDX-License-Identifier: Apache-2.0
// From a functor's coordinates (row, column...) to the loops of its domain. Neighbouring loops that every access walks
// as one become one digit; a coordinate of one digit needs no division at all.
#pragma once

#include <string>
#include <vector>

#include "kernels/access/domain.h"

namespace stitch::kernels {

// A parameter of a functor, or one axis of its Index: it walks these axes of the domain's anchor, outermost first.
struct Coordinate {
  std::string name;
  std::vector<int> axes;
};

struct Digit {
  int innermost_loop = -1;  // an access's stride along the digit is its coefficient here
  int64_t extent = 1;
};

// The digits of one coordinate, outermost first; empty for a coordinate without axes.
std::vector<Digit> digits_of(const Domain& domain, const Coordinate& coordinate, const std::vector<AffineIndex>& uses);

// The coefficient of `loop`, 0 when the index does not depend on it.
int64_t coefficient(const AffineIndex& index, int loop);

}  // namespace stitch::kernels
