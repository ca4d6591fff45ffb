// SPDX-License-Identifier: Apache-2.0
#include "access/instructions.h"

#include <cstring>

namespace stitch_emulator {
namespace {

// Of a loop that only some lanes take so many turns of, the oldest accesses are closed as they are.
constexpr size_t kMaxOpen = 1u << 15;

// The access of the `time`th time, made where it is not there. Null: it was closed already.
WarpAccess* access_of(Instruction::Open& open, unsigned int warp, uint32_t time, uint32_t bytes) {
  if (time < open.first) {
    return nullptr;
  }
  const size_t index = open.start + (time - open.first);
  while (open.accesses.size() <= index) {
    open.accesses.emplace_back();
    open.accesses.back().bytes = bytes;
    open.accesses.back().warp = warp;
  }
  return &open.accesses[index];
}

void close_first(const Instruction& instruction, Instruction::Open& open, Instructions::Close close) {
  WarpAccess& access = open.accesses[open.start];
  if (access.lanes != 0) {
    close(instruction, access);
  }
  ++open.start;
  ++open.first;
}

void drop_closed(Instruction::Open& open) {
  if (open.start == open.accesses.size()) {
    open.accesses.clear();
    open.start = 0;
  } else if (open.start > kMaxOpen) {
    open.accesses.erase(open.accesses.begin(), open.accesses.begin() + open.start);
    open.start = 0;
  }
}

}  // namespace

Instruction& Instructions::find(uint64_t key, AccessKind kind, Target target, uint32_t bytes) {
  Instruction*& recent = recent_[(key ^ key >> 10) % kRecent];
  if (recent != nullptr && recent->key == key) {
    return *recent;
  }
  std::unique_ptr<Instruction>& found = all_[key];
  if (found == nullptr) {
    found = std::make_unique<Instruction>();
    found->key = key;
    found->kind = kind;
    found->target = target;
    found->bytes = bytes;
  }
  recent = found.get();
  return *found;
}

void Instructions::begin(Instruction& instruction) {
  instruction.block = block_;
  memset(instruction.times, 0, sizeof(uint32_t) * static_cast<size_t>(block.thread_count));
  for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
    Instruction::Open& open = instruction.open[warp];
    open.first = 0;
    open.start = 0;
    open.accesses.clear();
    open.turns = {};
  }
  in_block_.push_back(&instruction);
}

void Instructions::note(uint64_t key, AccessKind kind, Target target, uint32_t bytes, uint32_t at, Waits* waits,
                        Close close) {
  Instruction& instruction = find(key, kind, target, bytes);
  if (instruction.block != block_) {
    begin(instruction);
  }
  const int thread = block.current;
  const uint32_t lane = lane_number(thread);
  Instruction::Open& open = instruction.open[warp_number(thread)];
  if (waits != nullptr && lane == 0) {
    waits->note(warp_number(thread), kind, target, open.turns);
  }
  WarpAccess* access = access_of(open, warp_number(thread), instruction.times[thread]++, bytes);
  if (access == nullptr) {
    WarpAccess late;
    late.bytes = bytes;
    late.warp = warp_number(thread);
    late.lanes = 1u << lane;
    late.at[lane] = at;
    close(instruction, late);
    return;
  }
  access->at[lane] = at;
  access->lanes |= 1u << lane;
  const Warp& warp = warp_of(thread);
  while (open.start < open.accesses.size() && ((open.accesses[open.start].lanes | warp.ended) == kFullMask ||
                                               open.accesses.size() - open.start > kMaxOpen)) {
    close_first(instruction, open, close);
  }
  drop_closed(open);
}

void Instructions::end_block(Close close) {
  for (Instruction* instruction : in_block_) {
    for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
      Instruction::Open& open = instruction->open[warp];
      while (open.start < open.accesses.size()) {
        close_first(*instruction, open, close);
      }
      drop_closed(open);
    }
  }
  in_block_.clear();
}

void Instructions::forget() {
  all_.clear();
  memset(recent_, 0, sizeof(recent_));
  in_block_.clear();
}

}  // namespace stitch_emulator
