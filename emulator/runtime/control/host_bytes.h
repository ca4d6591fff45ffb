// SPDX-License-Identifier: Apache-2.0
// Which bytes of the device's memory are the host's word: of copies and sets, what each brought there. Kernels write
// unseen, so that what a piece holds is compared with what was brought.
#pragma once

#include <cstddef>
#include <cstdint>

namespace stitch_emulator {

// One copy or set of the runtime's, of one row or several: its rows are told before they are moved. A command that
// leaves fewer bytes than it takes to ask for it says as much by where it reads as by what it moves.
class MemoryCommand {
 public:
  explicit MemoryCommand(size_t bytes);  // of all its rows
  void copies(void* to, const void* from, size_t bytes) const;
  void sets(void* to, int value, size_t bytes) const;

 private:
  uint64_t number_;
  size_t bytes_;
};

}  // namespace stitch_emulator
