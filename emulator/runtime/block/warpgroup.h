// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stitch_emulator {

// At the start of a block.
void forget_group_products();

}  // namespace stitch_emulator
