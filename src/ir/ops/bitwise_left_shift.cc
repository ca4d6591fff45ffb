// SPDX-License-Identifier: Apache-2.0
// Bits moved up; none are left of a shift by a negative number or by all bits.
#include "ir/ops/support/shift.h"

namespace stitch::ir {

OpDef bitwise_left_shift_def() { return shift(shifted_left); }

}  // namespace stitch::ir
