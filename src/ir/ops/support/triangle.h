// SPDX-License-Identifier: Apache-2.0
// tril and triu: a triangle of the last two axes kept, the rest zero.
#pragma once

#include "ir/ops.h"

namespace stitch::ir {

// `keeps(distance)`: whether elements `distance` columns right of `diagonal` stay.
OpDef triangle(bool (*keeps)(int64_t distance));

}  // namespace stitch::ir
