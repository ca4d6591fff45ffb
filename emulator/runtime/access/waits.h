// SPDX-License-Identifier: Apache-2.0
// The counted build: how often a warp has to wait for memory. Loads that follow each other are waited for together,
// until something makes use of them: a store, an operation of the warp, a barrier. One place in the code overlaps with
// itself as often as compilers unroll a loop. The first lane speaks for its warp.
#pragma once

#include <stdint.h>

#include "access/accesses.h"
#include "block/state.h"

namespace stitch_emulator {

enum class Target : uint8_t { kGlobal, kShared };

// Of one place, for one warp: the loads that were waited for together last, and how many of them this place made.
struct PlaceTurns {
  uint32_t group = 0;
  uint32_t turns = 0;
};

class Waits {
 public:
  void begin_block();
  void note(unsigned int warp, AccessKind kind, Target target, PlaceTurns& place);
  // Copies that it does not wait for yet. Of those that are waited for while `pending` later groups stay under way, the
  // time is that of as many waits more.
  void start_copy(unsigned int warp) { warps_[warp].has_started = true; }
  void commit_copies(unsigned int warp);
  void wait_for_copies(unsigned int warp, int pending);
  // All that was read is made use of.
  void use(unsigned int warp);
  void use_all();
  // Of the warp that waited most often.
  double longest_memory() const;
  uint32_t longest_shared() const;

 private:
  struct Group {
    bool is_open = false;
    uint32_t number = 0;
    uint32_t waits = 0;
  };
  struct OfWarp {
    Group memory;
    Group shared;
    bool has_started = false;  // copies of no group yet
    uint64_t groups = 0;       // that are under way, a bit each, the latest first; 0 for an empty one
    double waits_for_copies = 0;
  };

  static void read(Group& group, PlaceTurns& place);

  OfWarp warps_[kMaxWarps];
};

}  // namespace stitch_emulator
