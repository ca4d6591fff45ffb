// SPDX-License-Identifier: Apache-2.0
// The part of the L2 cache that a program may reserve for its own data across calls.
#pragma once

#include "base/error/result.h"

namespace stitch::device {

// Removes the reservation and the data kept by it. Does nothing on devices that have none.
Result<void> forget_persisting_lines();

}  // namespace stitch::device
