// SPDX-License-Identifier: Apache-2.0
// Order of execution, where it can be chosen.
#pragma once

#include <cstdint>

namespace stitch::device {

// Emulated: 0 runs threads in order, any other seed in an order drawn from it. A GPU ignores it.
void set_schedule_seed(uint64_t seed);

}  // namespace stitch::device
