// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/pointwise/registry.h"

#include <cmath>
#include <numeric>

#include "ir/graph/op.h"
#include "ir/ops/pointwise/long_definitions.h"
#include "ir/ops/support/bits.h"
#include "ir/ops/support/bounds.h"
#include "ir/ops/support/division.h"
#include "ir/ops/support/pointwise.h"
#include "ir/ops/support/shift.h"
#include "ir/ops/support/special.h"

namespace stitch::ir {

void define_pointwise(std::span<OpDef> by_op) {
  using enum ElementRule;
#define STITCH_POINTWISE(name, meaning, definition, floating_point, integer, boolean, cost, range) \
  by_op[index_of(op_named(#name))] = definition;
#include "ir/ops/pointwise/pointwise.def"
#undef STITCH_POINTWISE
}

}  // namespace stitch::ir
