// SPDX-License-Identifier: Apache-2.0
// Runs one block: every thread begins as a plain call on a fiber; a thread that waits keeps its fiber, and the next
// runnable thread goes on, directly from fiber to fiber.
#include <cstring>

#include "block/async_copy.h"
#include "block/cluster.h"
#include "block/mbarrier.h"
#include "block/switching.h"
#include "block/warpgroup.h"
#include "fault/fault.h"

namespace stitch_emulator {

Block block;
bool in_block = false;
bool in_cluster = false;

uint32_t random_bits() {
  // xorshift64*: cheap, and good enough to vary an order.
  block.random ^= block.random >> 12;
  block.random ^= block.random << 25;
  block.random ^= block.random >> 27;
  return static_cast<uint32_t>(block.random * 0x2545f4914f6cdd1dULL >> 32);
}

namespace {

const KernelCall* running_call = nullptr;
bool block_faulted = false;
// Another block of the cluster may get the next turn although this one could go on.
bool may_be_interrupted = false;

void end_thread() {
  const int thread = block.current;
  Warp& warp = warp_of(thread);
  warp.ended |= bit_of(thread);
  --block.live;
  block.fell_off_end += !block.ended_early;
  block.ended_early = false;
  if (warp.meeting_count != 0) {
    release_complete_meetings(warp_number(thread));
  }
  if (block.barrier_arrived != 0) {
    release_complete_barrier();
  }
  if (in_cluster) {
    note_end_of_cluster_thread(thread);
  }
}

// A fiber's whole life: run the thread that was chosen, then the next one; hand over to a waiting thread's fiber when
// that one is next.
void run_threads() {
  for (;;) {
    warp_of(block.current).started |= bit_of(block.current);
    block.lanes[block.current].fiber = current_fiber;
    running_call->run(running_call->closure);
    end_thread();
    const int next = take_next();
    if (next >= 0 && !(warp_of(next).started & bit_of(next))) {
      set_current(next);
      continue;
    }
    if (next < 0 && block.live != 0 && !in_cluster) {
      report_stuck();
    }
    give_back_fiber(current_fiber);
    if (next < 0) {
      switch_to(&host_fiber);
    } else {
      leave_for(next);
    }
  }
}

}  // namespace

void report_stuck() {
  for (int thread = 0; thread < block.thread_count; ++thread) {
    const Lane& lane = block.lanes[thread];
    // Nothing can run, so every thread that has not ended waits.
    if ((warp_of(thread).ended & bit_of(thread)) == 0) {
      set_current(thread);
      char message[512];
      describe_waiting(message, sizeof(message));
      fault(message, lane.file, lane.line);
    }
  }
  __builtin_unreachable();
}

void wait_for_cluster() {
  if (!in_cluster) {
    report_stuck();
  }
  switch_to(&host_fiber);
}

namespace {

void reset_block() {
  forget_async_copies();
  forget_bulk_copies();
  forget_group_products();
  block.warps_ready = 0;
  block.live = block.thread_count;
  block.fell_off_end = 0;
  block.waiting_predicates = 0;
  block.barrier_arrived = 0;
  block.count_sum = 0;
  block.ended_early = false;
  if (in_cluster) {  // else all have been met
    memset(block.conditions, 0, sizeof(block.conditions));
  }
  memset(block.named, 0, sizeof(block.named));
  for (unsigned int i = 0; i < block.warp_count; ++i) {
    Warp& warp = block.warps[i];
    const int lanes = block.thread_count - static_cast<int>(i) * kWarpSize;
    const uint32_t present = lanes >= kWarpSize ? kFullMask : (1u << lanes) - 1;
    warp.started = 0;
    warp.ended = ~present;
    warp.at_barrier = 0;
    warp.converging = 0;
    warp.meeting_count = 0;
    warp.ready = 0;
    make_ready(i, present);
  }
}

}  // namespace

int choose_at_random(uint32_t mask) {
  const uint32_t turn = random_bits() & 31u;
  const uint32_t turned = mask >> turn | mask << (-turn & 31u);
  return static_cast<int>((static_cast<uint32_t>(__builtin_ctz(turned)) + turn) & 31u);
}

int take_from_any_warp() {
  constexpr uint32_t kSwitchesOfTurn = 128;
  if (may_be_interrupted && block.random != 0 && random_bits() % kSwitchesOfTurn == 0) {
    return -1;
  }
  while (block.warps_ready == 0) {
    if (!release_converged() && !release_predicates()) {
      return -1;
    }
  }
  return take_lane(static_cast<unsigned int>(choose(block.warps_ready)));
}

Fiber* fiber_for_new_thread() {
  Fiber* fiber = take_fiber();
  if (fiber == nullptr) {
    fault("there is no memory for another thread's stack", nullptr, 0);
  }
  return fiber;
}

namespace {

// From the host's fiber, until a thread switches back to it.
void go_on_with(int thread) {
  set_current(thread);
  Fiber* fiber = (warp_of(thread).started & bit_of(thread)) != 0 ? block.lanes[thread].fiber : take_fiber();
  if (fiber != nullptr) {
    switch_to(fiber);
  } else {
    block_faulted = true;
    record_fault("there is no memory for a thread's stack", running_call->file, running_call->line);
  }
}

void start_block(const KernelCall& call) {
  set_fiber_main(run_threads);
  running_call = &call;
  block_faulted = false;
  in_block = true;
  reset_block();
  block.current = 0;
  const int first = take_next();
  may_be_interrupted = in_cluster;
  go_on_with(first);
}

BlockPart end_part() {
  may_be_interrupted = false;
  in_block = false;
  return block_faulted ? BlockPart::kFaulted : block.live == 0 ? BlockPart::kEnded : BlockPart::kRan;
}

}  // namespace

bool run_block(const KernelCall& call) {
  start_block(call);
  in_block = false;
  if (block_faulted) {
    abandon_fibers();
  }
  return !block_faulted;
}

BlockPart start_block_of_cluster(const KernelCall& call) {
  start_block(call);
  return end_part();
}

BlockPart resume_block_of_cluster() {
  in_block = true;
  const int next = take_next();
  if (next < 0) {
    in_block = false;
    return BlockPart::kNothingRuns;
  }
  may_be_interrupted = true;
  go_on_with(next);
  return end_part();
}

void leave_block_after_fault() {
  block_faulted = true;
  switch_to(&host_fiber);
  __builtin_unreachable();
}

void prepare_blocks(dim3 shape, uint64_t seed) {
  const auto threads = static_cast<int>(shape.x * shape.y * shape.z);
  block.thread_count = threads;
  block.warp_count = static_cast<unsigned int>(threads + kWarpSize - 1) / kWarpSize;
  block.random = seed;
  int thread = 0;
  for (unsigned int z = 0; z < shape.z; ++z) {
    for (unsigned int y = 0; y < shape.y; ++y) {
      for (unsigned int x = 0; x < shape.x; ++x) {
        block.thread_index[thread++] = {x, y, z};
      }
    }
  }
}

}  // namespace stitch_emulator

extern "C" void stitch_thread_returns() { stitch_emulator::block.ended_early = true; }
