// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>

namespace stitch_emulator {

// At the start of a block.
void forget_bulk_copies();
// Of a block of a cluster from now on, while the copies of the others wait; or of one that runs alone.
void use_bulk_copies_of_member(unsigned int rank);
void use_bulk_copies_of_lone_block();

// Before a store that an mbarrier will count, and when it has landed in the memory of the mbarrier's block.
void require_mbarrier(void* barrier, const char* file, int line);
void count_stored_bytes(void* barrier, uint32_t bytes);

}  // namespace stitch_emulator
