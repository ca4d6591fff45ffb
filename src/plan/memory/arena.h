// SPDX-License-Identifier: Apache-2.0
// Places pieces of memory that are needed for a while into one arena, so that pieces needed at the same time never
// overlap.
#pragma once

#include <cstdint>
#include <vector>

namespace stitch::plan {

constexpr int64_t kBufferAlignment = 256;  // bytes

struct Piece {
  int64_t bytes = 0;
  int first_step = 0;  // written here...
  int last_step = 0;   // ...and last read here, inclusive
  int64_t offset = 0;  // filled in
};

// Sets the offsets; returns the size of the arena.
int64_t place_pieces(std::vector<Piece>& pieces);
// The same for pieces that are all needed at the same time.
int64_t stack_pieces(std::vector<Piece>& pieces);

}  // namespace stitch::plan
