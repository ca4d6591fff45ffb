// SPDX-License-Identifier: Apache-2.0
// The checked build: every access of a kernel to memory, told before it happens. Not its own stack's.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fiber/sanitizer.h"

namespace stitch_emulator {

void note_read(const void* address, size_t bytes, uintptr_t program_counter);
void note_write(const void* address, size_t bytes, uintptr_t program_counter);

}  // namespace stitch_emulator
