// SPDX-License-Identifier: Apache-2.0
// Random operators. Their operand is an input of the program that its caller may leave out: the numbers to use in place
// of drawn ones. `stream` tells the operators of a program apart; the call brings seed and offset. What is drawn
// depends on seed, offset, stream and the element's place alone, so a number may be computed as often as it is needed.
#pragma once

#include "ir/ops.h"

namespace stitch::ir {

// float32 -> float32 of the same shape; the reference is the numbers that are handed in.
OpDef random_numbers();

// Whether `value` is an input of the program that only random operators read: a caller may leave it out.
bool is_given_numbers(const Graph& graph, ValueId value);

}  // namespace stitch::ir
