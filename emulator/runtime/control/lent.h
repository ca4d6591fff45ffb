// SPDX-License-Identifier: Apache-2.0
// Memory of the device that a caller made and lent to the program that runs here: the program's to use, not to free.
#pragma once

namespace stitch_emulator {

// Whether somebody else works on the device beside the program.
bool has_caller();
bool is_lent(const void* address);
// The piece that begins there, as it was lent.
bool is_lent_from(const void* start);

}  // namespace stitch_emulator
