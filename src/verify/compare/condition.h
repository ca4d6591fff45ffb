// SPDX-License-Identifier: Apache-2.0
// The runs of the reference that show whether an output is ill-conditioned: whether one ulp at the inputs decides it.
#pragma once

#include <span>
#include <vector>

#include "artifact/task/math_mode.h"
#include "verify/compare/tile_reader.h"

namespace stitch::verify {

// `base` is the run that the perturbed ones are compared with: the first run that rounds its operands where the mode
// allows that, else the native run, which may not round at all.
struct Condition {
  std::span<const double> base;
  std::vector<std::span<const double>> perturbed;
};
Condition condition_of(const TileReader& reader, MathMode mode);

}  // namespace stitch::verify
