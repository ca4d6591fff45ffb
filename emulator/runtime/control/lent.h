// SPDX-License-Identifier: Apache-2.0
// Memory of the device that a caller made and lent to the program that runs here: the program's to use, not to free.
#pragma once

#include <stddef.h>

namespace stitch_emulator {

// Whether somebody else works on the device beside the program.
bool has_caller();
bool is_lent(const void* address);
// The piece that begins there, as it was lent.
bool is_lent_from(const void* start);

// Memory of the device that is one piece; null where there is none.
struct MemoryPiece {
  const char* start = nullptr;
  size_t bytes = 0;
};
// The piece that holds an address.
MemoryPiece lent_piece(const void* address);

}  // namespace stitch_emulator
