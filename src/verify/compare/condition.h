// SPDX-License-Identifier: Apache-2.0
// Which runs of the reference tell whether its inputs' last place decides about an output.
#pragma once

#include <span>
#include <vector>

#include "artifact/task/math_mode.h"
#include "verify/compare/tile_reader.h"

namespace stitch::verify {

// The run that the perturbed ones are compared with. Where runs round their operands as the mode allows, that is the
// first of them: the native run may not round at all.
struct Condition {
  std::span<const double> base;
  std::vector<std::span<const double>> perturbed;
};
Condition condition_of(const TileReader& reader, MathMode mode);

}  // namespace stitch::verify
