// SPDX-License-Identifier: Apache-2.0
// Waits on memory: a thread that polls (mbarrier, spin lock, flag) steps aside until its condition holds.
#include "block/switching.h"
#include "fault/fault.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

constexpr int kAtomicsBetweenTurns = 4096;
// A thread that has been sent to the back of the queue this often without any other thread ending or waiting spins on
// something that cannot happen.
constexpr int kTurnsWithoutProgress = 20000;

bool always(void*) { return true; }

struct SpinWatch {
  int live = 0;
  int turns = 0;
};
SpinWatch spin_watch;

}  // namespace

bool release_predicates() {
  if (block.waiting_predicates == 0) {
    return false;
  }
  bool released = false;
  for (int thread = 0; thread < block.thread_count; ++thread) {
    Condition& condition = block.conditions[thread];
    if (condition.is_ready != nullptr && condition.is_ready(condition.state)) {
      condition.is_ready = nullptr;
      --block.waiting_predicates;
      make_ready(warp_number(thread), bit_of(thread));
      released = true;
    }
  }
  if (released) {
    note_block_barrier();
  }
  return released;
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

extern "C" {

int stitch_spin_budget = kAtomicsBetweenTurns;

void stitch_wait_until(bool (*is_ready)(void*), void* state, const char* what, const char* file, int line) {
  if (is_ready(state)) {
    return;
  }
  if (!inside_block()) {
    host_fault("a device wait was called outside a kernel", file, line);
  }
  block.conditions[block.current] = {is_ready, state};
  ++block.waiting_predicates;
  suspend(what, file, line);
}

void stitch_yield(const char* file, int line) {
  if (!inside_block()) {
    return;
  }
  const bool same = spin_watch.live == block.live;
  spin_watch.turns = same ? spin_watch.turns + 1 : 0;
  spin_watch.live = block.live;
  if (spin_watch.turns > kTurnsWithoutProgress * block.thread_count) {
    spin_watch.turns = 0;
    fault(
        "this thread spins on something no thread of its block will do; blocks run one after another, so a block "
        "must not wait for a later one",
        file, line);
  }
  block.conditions[block.current] = {always, nullptr};
  ++block.waiting_predicates;
  suspend("a turn", file, line);
}

void stitch_spin_exhausted(const char* file, int line) {
  stitch_spin_budget = kAtomicsBetweenTurns;
  stitch_yield(file, line);
}

}  // extern "C"
