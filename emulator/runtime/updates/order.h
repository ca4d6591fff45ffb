// SPDX-License-Identifier: Apache-2.0
// The checked build: what puts the accesses of two threads in an order. Elsewhere these are empty.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fiber/sanitizer.h"

namespace stitch_emulator {

#ifdef __SANITIZE_ADDRESS__
// At the start of a launch, and around each of its blocks.
void begin_launch_updates();
void begin_block_updates(uint64_t block_number);
void end_block_updates();
// Around the turns of other blocks of its cluster, which are taken to be in an order with its own.
void suspend_block_updates();
void resume_block_updates(uint64_t block_number);
// Shared memory that another block writes.
void forget_reads(const void* address, size_t bytes);
// A barrier of the block has opened, or a warp operation is complete.
void note_block_barrier();
void note_warp_operation(unsigned int warp);
#else
inline void begin_launch_updates() {}
inline void begin_block_updates(uint64_t) {}
inline void end_block_updates() {}
inline void suspend_block_updates() {}
inline void resume_block_updates(uint64_t) {}
inline void forget_reads(const void*, size_t) {}
inline void note_block_barrier() {}
inline void note_warp_operation(unsigned int) {}
#endif

}  // namespace stitch_emulator
