// SPDX-License-Identifier: Apache-2.0
// Barriers and fences. One OS thread runs all device threads, so a fence has nothing to order.
#pragma once

#include "stitch_emulator/language.h"

extern "C" {
void stitch_barrier(const char* file, int line);
// Sums `predicate != 0` over the block; the count is the same in every thread.
int stitch_barrier_count(int predicate, const char* file, int line);
// PTX `barrier.sync id, threads`: threads = 0 means the whole block. `arrive` does not wait.
void stitch_named_barrier(int id, int threads, const char* file, int line);
void stitch_named_barrier_arrive(int id, int threads, const char* file, int line);
// Suspends this thread until is_ready(state) is true; `what` names the wait when nothing can run any more.
void stitch_wait_until(bool (*is_ready)(void* state), void* state, const char* what, const char* file, int line);
// Lets every other runnable thread of the block go first.
void stitch_yield(const char* file, int line);
int stitch_live_threads(void);
}

inline void __syncthreads(STITCH_PLACE) { stitch_barrier(STITCH_PLACE_ARGUMENTS); }
inline int __syncthreads_count(int predicate, STITCH_PLACE) {
  return stitch_barrier_count(predicate, STITCH_PLACE_ARGUMENTS);
}
inline int __syncthreads_or(int predicate, STITCH_PLACE) {
  return stitch_barrier_count(predicate, STITCH_PLACE_ARGUMENTS) != 0;
}
inline int __syncthreads_and(int predicate, STITCH_PLACE) {
  return stitch_barrier_count(predicate == 0, STITCH_PLACE_ARGUMENTS) == 0;
}
inline void __nanosleep(unsigned int, STITCH_PLACE) { stitch_yield(STITCH_PLACE_ARGUMENTS); }

#ifdef __SANITIZE_ADDRESS__
extern "C" void stitch_note_fence(void);
inline void __threadfence() { stitch_note_fence(); }
#else
inline void __threadfence() {}
#endif
inline void __threadfence_block() { __threadfence(); }
inline void __threadfence_system() { __threadfence(); }
