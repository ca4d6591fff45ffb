// SPDX-License-Identifier: Apache-2.0
#include "access/waits.h"

#include <algorithm>

namespace stitch_emulator {
namespace {

constexpr uint32_t kUnrolled = 4;  // turns of a loop whose length the compiler does not know

}  // namespace

void Waits::begin_block() {
  for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
    warps_[warp] = {};
  }
}

void Waits::read(Group& group, PlaceTurns& place) {
  if (!group.is_open || (place.group == group.number && place.turns == kUnrolled)) {
    group.is_open = true;
    ++group.number;
    ++group.waits;
  }
  if (place.group != group.number) {
    place = {group.number, 0};
  }
  ++place.turns;
}

void Waits::note(unsigned int warp, AccessKind kind, Target target, PlaceTurns& place) {
  OfWarp& of = warps_[warp];
  Group& group = target == Target::kGlobal ? of.memory : of.shared;
  if (kind == AccessKind::kRead) {
    read(group, place);
  } else {
    group.is_open = false;
  }
}

void Waits::commit_copies(unsigned int warp) {
  OfWarp& of = warps_[warp];
  of.groups = of.groups << 1 | static_cast<uint64_t>(of.has_started);
  of.has_started = false;
}

void Waits::wait_for_copies(unsigned int warp, int pending) {
  constexpr int kMostPending = 63;
  OfWarp& of = warps_[warp];
  const int kept = std::clamp(pending, 0, kMostPending);
  const bool is_all = pending < 0;
  if (of.groups >> kept == 0 && !(is_all && of.has_started)) {
    return;
  }
  of.waits_for_copies += 1.0 / (kept + 1);
  of.groups &= (uint64_t{1} << kept) - 1;
  of.has_started = of.has_started && !is_all;
  use(warp);
}

void Waits::use(unsigned int warp) {
  warps_[warp].memory.is_open = false;
  warps_[warp].shared.is_open = false;
}

void Waits::use_all() {
  for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
    use(warp);
  }
}

double Waits::longest_memory() const {
  double longest = 0;
  for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
    longest = std::max(longest, warps_[warp].memory.waits + warps_[warp].waits_for_copies);
  }
  return longest;
}

uint32_t Waits::longest_shared() const {
  uint32_t longest = 0;
  for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
    longest = std::max(longest, warps_[warp].shared.waits);
  }
  return longest;
}

}  // namespace stitch_emulator
