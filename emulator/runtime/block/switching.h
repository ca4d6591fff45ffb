// SPDX-License-Identifier: Apache-2.0
// The way from a thread that waits to the next one that runs. All of it is inlined into the barrier and the warp
// operations: a waiting thread then leaves one short frame on its stack, and hundreds of stacks fit in the nearest
// cache.
#pragma once

#include "block/state.h"
#include "block/variables.h"
#include "control/counts.h"

#define STITCH_ALWAYS_INLINE inline __attribute__((always_inline))

namespace stitch_emulator {

int choose_at_random(uint32_t mask);
// When the running thread's warp cannot go on, or the order is random. -1 when no thread of the block can run.
int take_from_any_warp();
Fiber* fiber_for_new_thread();
[[noreturn]] void report_stuck();
// No thread of the block can run: other blocks of its cluster do, where there are any, until one of its own goes on.
void wait_for_cluster();

STITCH_ALWAYS_INLINE int choose(uint32_t mask) {
  return __builtin_expect(block.random == 0, 1) ? __builtin_ctz(mask) : choose_at_random(mask);
}

STITCH_ALWAYS_INLINE int take_lane(unsigned int warp) {
  Warp& chosen = block.warps[warp];
  const int lane = choose(chosen.ready);
  chosen.ready &= ~(1u << lane);
  if (chosen.ready == 0) {
    block.warps_ready &= ~(1u << warp);
  }
  return static_cast<int>(warp) * kWarpSize + lane;
}

// The next thread to run, or -1. In order, a warp goes on while it can: its 32 stacks are in the nearest cache.
STITCH_ALWAYS_INLINE int take_next() {
  const unsigned int warp = warp_number(block.current);
  if (block.random == 0 && block.warps[warp].ready != 0) {
    return take_lane(warp);
  }
  return take_from_any_warp();
}

STITCH_ALWAYS_INLINE void set_current(int thread) {
  block.current = thread;
  stitch_thread_in_block = static_cast<unsigned int>(thread);
  current_thread_index = block.thread_index[thread];
}

// Hundreds of waiting stacks do not fit in the nearest cache: fetches the one that will run after `next` while `next`
// runs. A lane that never had a fiber names the host's, which does no harm.
STITCH_ALWAYS_INLINE void prefetch_after(int next) {
  const uint32_t rest = warp_of(next).ready;
  if (rest == 0) {
    return;
  }
  const unsigned int after = warp_number(next) * kWarpSize + static_cast<unsigned int>(__builtin_ctz(rest));
  const auto* stack = static_cast<const char*>(block.lanes[after].fiber->context);
  constexpr int kLine = 64;
  __builtin_prefetch(stack);
  __builtin_prefetch(stack + kLine);
  __builtin_prefetch(stack + 2 * kLine);
  __builtin_prefetch(stack + 3 * kLine);
}

// Goes on with `next` from a fiber that stays as it is until somebody switches back to it.
STITCH_ALWAYS_INLINE void leave_for(int next) {
  set_current(next);
  ++counts.switches;
  prefetch_after(next);
  const bool started = (warp_of(next).started & bit_of(next)) != 0;
  switch_to(__builtin_expect(started, 1) ? block.lanes[next].fiber : fiber_for_new_thread());
}

// Suspends the running thread until make_ready names it again. Fill the warp's masks before.
STITCH_ALWAYS_INLINE void suspend(const char* waits_for, const char* file, int line) {
  const int self = block.current;
  Lane& lane = block.lanes[self];
  lane.waits_for = waits_for;
  lane.file = file;
  lane.line = line;
  const int next = take_next();
  if (__builtin_expect(next < 0, 0)) {
    wait_for_cluster();
  } else if (__builtin_expect(next != self, 1)) {
    leave_for(next);
  }
}

}  // namespace stitch_emulator
