// SPDX-License-Identifier: Apache-2.0
// What all reductions share: the axes `dim` (increasing, none twice), kept with extent one or dropped (`keepdim`).
#pragma once

#include <functional>
#include <span>

#include "ir/ops.h"

namespace stitch::ir {

enum class ReductionRule { kFloatingPoint, kNumber, kAny };

// `function` maps the elements that fall together to the result's one.
OpDef reduction(ReductionRule rule, std::vector<AttributeDef> more_attributes,
                std::function<double(const Node&, std::span<const double>)> function);
// An empty extent has no largest element: such operators refuse one.
OpDef reduction_of_some(ReductionRule rule, std::function<double(const Node&, std::span<const double>)> function);

}  // namespace stitch::ir
