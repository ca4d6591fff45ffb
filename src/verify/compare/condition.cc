// SPDX-License-Identifier: Apache-2.0
#include "verify/compare/condition.h"

namespace stitch::verify {

Condition condition_of(const TileReader& reader, MathMode mode) {
  const bool rounded = mode == MathMode::kTf32 || mode == MathMode::kReduced;
  if (!rounded || reader.perturbed().empty()) {
    return {reader.native(), reader.perturbed()};
  }
  return {reader.perturbed().front(), {reader.perturbed().begin() + 1, reader.perturbed().end()}};
}

}  // namespace stitch::verify
