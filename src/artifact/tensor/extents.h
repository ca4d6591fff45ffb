// SPDX-License-Identifier: Apache-2.0
// Which sizes a tensor may have. Checked wherever a type comes from text or from a type rule, so that counting elements
// and bytes never overflows behind it.
#pragma once

#include "artifact/tensor/tensor_spec.h"

namespace stitch {

// Succeeds when no extent is negative and the bytes (any zero extent left out) fit an address of 48 bits.
Result<void> check_extents(const TensorType& type);

}  // namespace stitch
