// SPDX-License-Identifier: Apache-2.0
// The checked build: what puts the accesses of two threads in an order. Elsewhere these are empty.
#pragma once

#include <stdint.h>

#include "fiber/sanitizer.h"

namespace stitch_emulator {

#ifdef __SANITIZE_ADDRESS__
// At the start of a launch, and around each of its blocks.
void begin_launch_updates();
void begin_block_updates(uint64_t block_number);
void end_block_updates();
// A barrier of the block has opened, or a warp operation is complete.
void note_block_barrier();
void note_warp_operation(unsigned int warp);
#else
inline void begin_launch_updates() {}
inline void begin_block_updates(uint64_t) {}
inline void end_block_updates() {}
inline void note_block_barrier() {}
inline void note_warp_operation(unsigned int) {}
#endif

}  // namespace stitch_emulator
