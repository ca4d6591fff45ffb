// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stitch_emulator {

// At the start of a block.
void forget_async_copies();
// Of a block of a cluster from now on, while the copies of the others wait; or of one that runs alone.
void use_async_copies_of_member(unsigned int rank);
void use_async_copies_of_lone_block();

}  // namespace stitch_emulator
