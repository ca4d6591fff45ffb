// SPDX-License-Identifier: Apache-2.0
// The block that runs: which threads may run, which wait, and for what. Sets of lanes are bit masks, so that finding
// the next thread is two bit scans.
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "fiber/fiber.h"
#include "stitch_emulator/collective.h"
#include "stitch_emulator/launch.h"

namespace stitch_emulator {

constexpr int kWarpSize = 32;
constexpr int kMaxWarps = 32;
constexpr int kMaxThreads = kWarpSize * kMaxWarps;
constexpr int kNamedBarriers = 16;

// A thread that has waited: its fiber, and what it waited for last, for the sentence when nothing can run any more.
struct alignas(32) Lane {
  Fiber* fiber = &host_fiber;
  const char* waits_for;
  const char* file;
  int line;
};

// The condition of a thread in stitch_wait_until; is_ready is null for others.
struct Condition {
  bool (*is_ready)(void*);
  void* state;
};

// Lanes that meet in one warp operation, known by the mask they all name.
struct WarpMeeting {
  uint32_t mask;
  uint32_t arrived;
  WarpCombine combine;
  const char* name;
};

struct Warp {
  uint32_t ready;       // may run now, whether started or not
  uint32_t started;     // own a fiber, or are running
  uint32_t ended;       // includes the lanes a short last warp lacks
  uint32_t at_barrier;  // wait in __syncthreads
  uint32_t converging;  // wait in __activemask
  int meeting_count;
};

// The part of a warp that only warp operations touch; apart, so that what a barrier needs is packed closely.
struct WarpMeetings {
  WarpMeeting meetings[kWarpSize];
  WarpExchange exchange;
};

struct NamedBarrier {
  int arrived;
  uint32_t waiting[kMaxWarps];
};

struct Block {
  uint32_t warps_ready;  // warps with a lane that may run
  unsigned int warp_count;
  int thread_count;
  int live;          // threads that have not ended
  int fell_off_end;  // of the ended, those that reached the kernel's closing brace
  int waiting_predicates;
  int current;  // the running thread
  int barrier_arrived;
  const char* barrier_file;
  int barrier_line;
  int barrier_first;  // the first thread to arrive
  int count_sum;      // __syncthreads_count, being added up
  int count_result;
  bool ended_early;  // the running thread executed `return;`
  uint64_t random;   // 0: in order
  NamedBarrier named[kNamedBarriers];
  Warp warps[kMaxWarps];
  WarpMeetings meetings[kMaxWarps];
  Lane lanes[kMaxThreads];
  Condition conditions[kMaxThreads];
  uint3 thread_index[kMaxThreads];
};

extern Block block;

inline unsigned int warp_number(int thread) { return static_cast<unsigned int>(thread) / kWarpSize; }
inline unsigned int lane_number(int thread) { return static_cast<unsigned int>(thread) % kWarpSize; }
inline Warp& warp_of(int thread) { return block.warps[warp_number(thread)]; }
inline uint32_t bit_of(int thread) { return 1u << lane_number(thread); }

// Makes lanes of a warp runnable.
inline void make_ready(unsigned int warp, uint32_t lanes) {
  block.warps[warp].ready |= lanes;
  block.warps_ready |= static_cast<uint32_t>(lanes != 0) << warp;
}

// Called when a thread has ended, or a barrier's requirements changed: releases what is now complete.
void release_complete_barrier();
void release_complete_meetings(unsigned int warp);
bool release_converged();
bool release_predicates();

// Runs all threads of one block of the present launch. False when a fault ended it.
bool run_block(const KernelCall& call);
// The same in parts, of a block of a cluster: until nothing of it can run, or another's turn is drawn.
enum class BlockPart { kNothingRuns, kRan, kEnded, kFaulted };
BlockPart start_block_of_cluster(const KernelCall& call);
BlockPart resume_block_of_cluster();
// The running block is one of a cluster.
extern bool in_cluster;
// Sets up what stays the same for all blocks of a launch.
void prepare_blocks(dim3 block_shape, uint64_t seed);
[[noreturn]] void leave_block_after_fault();

// For choices that a random order makes; only where block.random is not 0.
uint32_t random_bits();

extern bool in_block;
inline bool inside_block() { return in_block; }

}  // namespace stitch_emulator
