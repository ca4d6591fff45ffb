// SPDX-License-Identifier: Apache-2.0
// The counted build: what a block finds in the L1 cache of its multiprocessor, of which it has a share. Warps run one
// after another here, on a GPU side by side: so a warp's time is what it has read so far, and a sector is still there
// while all warps, each reading as much as this one, have not filled the share since it was read. A block finds there
// what another has left, too, if all blocks before it read that, as many as there are multiprocessors: weights, not
// what neighbours share.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <vector>

#include "block/state.h"

namespace stitch_emulator {

class FirstCache {
 public:
  // Blocks of so many threads, and so much shared memory each, share a multiprocessor.
  void begin_launch(int threads, size_t shared_bytes);
  void begin_block();
  // Whether it is there for this warp; it is from now on.
  bool read(unsigned int warp, uint32_t sector);

 private:
  struct Entry {
    uint32_t sector = 0;
    uint32_t row = 0;    // blocks that followed each other and read it
    uint64_t block = 0;  // the last of them
    uint64_t time = 0;
  };
  static constexpr unsigned int kIndexBits = 16;

  std::vector<Entry> entries_ = std::vector<Entry>(size_t{1} << kIndexBits);
  uint64_t times_[kMaxWarps] = {};  // sectors that each warp has read
  uint64_t longest_ = 0;            // the most that one of the block before has read
  uint64_t warps_ = 1;
  uint64_t share_ = 0;  // sectors
  uint64_t block_ = 0;
};

}  // namespace stitch_emulator
