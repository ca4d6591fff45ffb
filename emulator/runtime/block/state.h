// SPDX-License-Identifier: Apache-2.0
// The block that runs: which threads may run, which wait, and for what. Sets of lanes are bit masks, so that finding the
// next thread is two bit scans.
#pragma once

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "fiber/fiber.h"
#include "stitch_emulator/collective.h"
#include "stitch_emulator/launch.h"

namespace stitch_emulator {

constexpr int kWarpSize = 32;
constexpr int kMostWarps = 32;
constexpr int kMostThreads = kWarpSize * kMostWarps;
constexpr int kNamedBarriers = 16;

// What a waiting thread waits for; kept for the sentence when nothing can run any more.
struct Lane {
  Fiber* fiber;
  const char* waits_for;  // null while it does not wait
  const char* file;
  int line;
  bool (*is_ready)(void*);  // waits of stitch_wait_until
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
  WarpMeeting meetings[kWarpSize];
  WarpExchange exchange;
};

struct NamedBarrier {
  int arrived;
  uint32_t waiting[kMostWarps];
};

struct Block {
  uint32_t warps_ready;  // warps with a lane that may run
  int warp_count;
  int thread_count;
  int live;               // threads that have not ended
  int fell_off_end;       // of the ended, those that reached the kernel's closing brace
  int waiting_predicates;
  int current;            // the running thread
  int barrier_arrived;
  const char* barrier_file;
  int barrier_line;
  int barrier_first;      // the first thread to arrive
  int count_sum;          // __syncthreads_count, being added up
  int count_result;
  bool ended_early;       // the running thread executed `return;`
  uint64_t random;        // 0: in order
  NamedBarrier named[kNamedBarriers];
  Warp warps[kMostWarps];
  Lane lanes[kMostThreads];
  uint3 thread_index[kMostThreads];
};

extern Block block;

inline Warp& warp_of(int thread) { return block.warps[thread / kWarpSize]; }
inline uint32_t bit_of(int thread) { return 1u << (thread % kWarpSize); }

// Makes lanes of a warp runnable.
inline void make_ready(int warp, uint32_t lanes) {
  block.warps[warp].ready |= lanes;
  block.warps_ready |= static_cast<uint32_t>(lanes != 0) << warp;
}

// Suspends the running thread until make_ready names it again. Fill the warp's masks before.
void suspend(const char* waits_for, const char* file, int line);

// Called when a thread has ended, or a barrier's requirements changed: releases what is now complete.
void release_complete_barrier();
void release_complete_meetings(int warp);
bool release_converged();
bool release_predicates();

// Runs all threads of one block of the present launch. False when a fault ended it.
bool run_block(const KernelCall& call);
// Sets up what stays the same for all blocks of a launch.
void prepare_blocks(dim3 block_shape, uint64_t seed);
[[noreturn]] void leave_block_after_fault();
bool inside_block();

}  // namespace stitch_emulator
