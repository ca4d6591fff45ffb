// SPDX-License-Identifier: Apache-2.0
// Bits moved down, copies of the sign behind them; a shift by a negative number or by all bits leaves only the sign.
#include "ir/ops/support/shift.h"

namespace stitch::ir {

OpDef bitwise_right_shift_def() { return shift(shifted_right); }

}  // namespace stitch::ir
