// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>

#include "stitch_emulator/shared.h"

namespace stitch_emulator {

// Before a launch: forgets the last launch's slots.
void prepare_shared(size_t dynamic_bytes, bool opted_in);
// Before each block.
void refill_shared();
// Static shared memory the last launch declared.
size_t declared_shared_bytes();

}  // namespace stitch_emulator
