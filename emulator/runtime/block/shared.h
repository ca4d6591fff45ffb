// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stitch_emulator/shared.h"

namespace stitch_emulator {

// Before a launch: forgets the last launch's slots.
void prepare_shared(size_t dynamic_bytes, bool opted_in);
// Before each block.
void refill_shared();
// Static shared memory the last launch declared.
size_t declared_shared_bytes();

constexpr uint64_t kNotShared = ~uint64_t{0};
// From the start of shared memory, where the dynamic one follows the static one.
uint64_t shared_place(uintptr_t address);

}  // namespace stitch_emulator
