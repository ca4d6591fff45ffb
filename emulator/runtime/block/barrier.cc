// SPDX-License-Identifier: Apache-2.0
// __syncthreads and its counting forms, and PTX named barriers.
#include <cstdio>
#include <cstring>

#include "access/accesses.h"
#include "block/switching.h"
#include "fault/fault.h"
#include "updates/order.h"

namespace stitch_emulator {
namespace {

bool same_place(const char* file, int line) {
  return block.barrier_line == line && (block.barrier_file == file || strcmp(block.barrier_file, file) == 0);
}

[[noreturn]] void report_two_barriers(const char* file, int line) {
  char message[512];
  snprintf(message, sizeof(message),
           "barrier divergence: thread %d of the block waits in __syncthreads here while thread %d waits in "
           "__syncthreads at %s:%d; all threads of a block must reach the same barrier",
           block.current, block.barrier_first, block.barrier_file, block.barrier_line);
  fault(message, file, line);
}

[[noreturn]] void report_missing_threads() {
  char message[512];
  snprintf(message, sizeof(message),
           "barrier divergence: %d of the block's %d threads wait in __syncthreads, but %d reached the end of the "
           "kernel without it; all threads of a block must reach the same barrier",
           block.barrier_arrived, block.thread_count, block.fell_off_end);
  fault(message, block.barrier_file, block.barrier_line);
}

// Releases every waiting thread but the running one, which just goes on.
void open_barrier() {
  if (block.fell_off_end != 0) {
    report_missing_threads();
  }
  counts.barriers += static_cast<uint64_t>(block.barrier_arrived);
  note_block_barrier();
  note_block_meeting();
  block.barrier_arrived = 0;
  block.count_result = block.count_sum;
  block.count_sum = 0;
  for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
    make_ready(warp, block.warps[warp].at_barrier);
    block.warps[warp].at_barrier = 0;
  }
}

void require_block(const char* what, const char* file, int line) {
  if (!inside_block()) {
    host_fault(what, file, line);
  }
}

void open_named_barrier(NamedBarrier& barrier) {
  counts.barriers += static_cast<uint64_t>(barrier.arrived);
  note_block_barrier();
  note_block_meeting();
  barrier.arrived = 0;
  for (unsigned int warp = 0; warp < block.warp_count; ++warp) {
    make_ready(warp, barrier.waiting[warp]);
    barrier.waiting[warp] = 0;
  }
}

NamedBarrier& named_barrier(int id, const char* file, int line) {
  if (id < 0 || id >= kNamedBarriers) {
    fault("a named barrier's number must be 0 to 15", file, line);
  }
  return block.named[id];
}

}  // namespace

void release_complete_barrier() {
  if (block.barrier_arrived == block.live || block.fell_off_end != 0) {
    open_barrier();
  }
}

}  // namespace stitch_emulator

using namespace stitch_emulator;

namespace {

STITCH_ALWAYS_INLINE void cross_barrier(const char* file, int line) {
  require_block("__syncthreads was called outside a kernel", file, line);
  if (block.barrier_arrived == 0) {
    block.barrier_file = file;
    block.barrier_line = line;
    block.barrier_first = block.current;
  } else if (!same_place(file, line)) {
    report_two_barriers(file, line);
  }
  if (++block.barrier_arrived == block.live) {
    open_barrier();
    return;
  }
  warp_of(block.current).at_barrier |= bit_of(block.current);
  suspend("__syncthreads", file, line);
}

}  // namespace

extern "C" {

void stitch_barrier(const char* file, int line) { cross_barrier(file, line); }

int stitch_barrier_count(int predicate, const char* file, int line) {
  block.count_sum += predicate != 0;
  cross_barrier(file, line);
  return block.count_result;
}

void stitch_named_barrier(int id, int threads, const char* file, int line) {
  require_block("a named barrier was used outside a kernel", file, line);
  NamedBarrier& barrier = named_barrier(id, file, line);
  if (++barrier.arrived == (threads == 0 ? block.live : threads)) {
    open_named_barrier(barrier);
    return;
  }
  barrier.waiting[warp_number(block.current)] |= bit_of(block.current);
  suspend("a named barrier", file, line);
}

void stitch_named_barrier_arrive(int id, int threads, const char* file, int line) {
  require_block("a named barrier was used outside a kernel", file, line);
  NamedBarrier& barrier = named_barrier(id, file, line);
  if (++barrier.arrived == (threads == 0 ? block.live : threads)) {
    open_named_barrier(barrier);
  }
}

int stitch_live_threads() { return block.live; }

}  // extern "C"
