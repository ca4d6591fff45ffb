// SPDX-License-Identifier: Apache-2.0
// The counted build: joins the accesses of a warp's lanes. Lanes run one after another here, so that an access of the
// warp stays open until its last lane comes by, or the block ends.
#pragma once

#include <stdint.h>

#include <memory>
#include <unordered_map>
#include <vector>

#include "access/accesses.h"
#include "access/waits.h"
#include "access/warp_access.h"
#include "block/state.h"

namespace stitch_emulator {

// One place in the code, for one kind of access.
struct Instruction {
  uint64_t key = 0;
  AccessKind kind = AccessKind::kRead;
  Target target = Target::kGlobal;
  uint32_t bytes = 0;
  uint64_t block = 0;           // that the rest is about
  uint32_t times[kMaxThreads];  // that each thread came by

  // Of one warp: accesses that wait for lanes, the first of them that of the `first`th time.
  struct Open {
    uint32_t first = 0;
    uint32_t start = 0;  // in `accesses`; those before are done
    std::vector<WarpAccess> accesses;
    PlaceTurns turns;
  };
  Open open[kMaxWarps];
};

class Instructions {
 public:
  using Close = void (*)(const Instruction&, const WarpAccess&);

  void begin_block() { ++block_; }
  // Notes the running lane's access; hands what is complete to `close`. Null `waits`: nobody waits for it.
  void note(uint64_t key, AccessKind kind, Target target, uint32_t bytes, uint32_t at, Waits* waits, Close close);
  // Hands over what no more lanes will come to.
  void end_block(Close close);
  void forget();

 private:
  Instruction& find(uint64_t key, AccessKind kind, Target target, uint32_t bytes);
  void begin(Instruction& instruction);

  static constexpr size_t kRecent = 1024;

  std::unordered_map<uint64_t, std::unique_ptr<Instruction>> all_;
  Instruction* recent_[kRecent] = {};
  std::vector<Instruction*> in_block_;
  uint64_t block_ = 0;
};

}  // namespace stitch_emulator
