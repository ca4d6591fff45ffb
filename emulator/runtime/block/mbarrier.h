// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace stitch_emulator {

// At the start of a block.
void forget_bulk_copies();

// Before a store that an mbarrier will count, and when it has landed in the memory of the mbarrier's block.
void require_mbarrier(void* barrier, const char* file, int line);
void count_stored_bytes(void* barrier, uint32_t bytes);

}  // namespace stitch_emulator
