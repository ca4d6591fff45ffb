// SPDX-License-Identifier: Apache-2.0
// Numbers that follow from the sizes of tensors, guessed from what they are at several sizes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "plan/boundaries/boundary.h"

namespace stitch::driver {

// A whole number times the product of some extents: what scratch memory is declared by, too.
using SizeFormula = plan::ScratchTerm;

// One extent of a tensor, at each of some sizes.
struct KnownAxis {
  plan::Axis axis;
  std::vector<int64_t> at{};
};

// The simplest formula of these axes that gives `wanted` at each of the sizes: an extent, a product of neighbouring
// ones of a tensor, of two anywhere, any of these times a number, a number. Nothing where none does. A guess: at sizes
// that are not among these it may be another.
std::optional<SizeFormula> formula_for(const std::vector<int64_t>& wanted, const std::vector<KnownAxis>& axes);

}  // namespace stitch::driver
