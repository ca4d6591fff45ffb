// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax: one type rule, one walk along the axis.
#pragma once

#include <functional>

#include "ir/ops.h"

namespace stitch::ir {

// `element(x, largest, sum)` is the result for an element x of a line with this maximum and sum of exp(x - largest).
OpDef softmax_like(std::function<double(double x, double largest, double sum)> element);

}  // namespace stitch::ir
