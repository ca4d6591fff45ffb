// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stitch_emulator {

// At the start of a block.
void forget_group_products();
// Of a block of a cluster from now on, while the products of the others wait; or of one that runs alone.
void use_group_products_of_member(unsigned int rank);
void use_group_products_of_lone_block();

}  // namespace stitch_emulator
