// SPDX-License-Identifier: Apache-2.0
// Pointwise operators whose definition is more than a row holds: a type rule of their own, or many lines.
#pragma once

#include "ir/ops.h"

namespace stitch::ir {

OpDef pow_def();
OpDef elu_def();
OpDef gelu_def();
OpDef where_def();
OpDef to_def();

}  // namespace stitch::ir
