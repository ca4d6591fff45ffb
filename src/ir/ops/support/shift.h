// SPDX-License-Identifier: Apache-2.0
// What the two shifts share: a result that depends on how many bits the element type has.
#pragma once

#include <cstdint>

#include "ir/ops.h"

namespace stitch::ir {

// `bits`: all of the element type's, the sign's included.
int64_t shifted_left(int64_t value, int64_t distance, int bits);
int64_t shifted_right(int64_t value, int64_t distance, int bits);

OpDef shift(int64_t (*function)(int64_t value, int64_t distance, int bits));

}  // namespace stitch::ir
