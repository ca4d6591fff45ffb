// SPDX-License-Identifier: Apache-2.0
// How many sets of buffers timed calls turn through, and how much is moved between two calls, so that neither finds its
// data in the L2 cache.
#pragma once

#include <cstdint>

namespace stitch::evaluate {

struct RingRequest {
  uint64_t set_bytes = 0;  // inputs, states and results of one call
  uint64_t l2_bytes = 0;   // 0: no eviction is wanted, and two sets are enough
  uint64_t memory_bytes = 0;
};

struct Ring {
  int sets = 0;
  uint64_t evict_bytes = 0;  // read, and as many written, between two calls
  bool outgrows_l2 = false;  // the sets together are more than four times the cache
};

// At least two sets (a call must not find its own output), at most 128, and no more than a quarter of the memory; 8
// where a sixteenth holds them, so that what a burst costs beside its calls is shared by many. Small
// programs do not reach four times the cache by their sets: for them the eviction alone does it.
Ring plan_ring(const RingRequest& request);

struct BurstPlan {
  int calls = 1;   // of one burst: each has a set of its own, so that its output can be looked at afterwards
  int bursts = 1;  // that make a block
};

// From the measured time of one call with its eviction.
BurstPlan plan_bursts(double call_us, double block_us, int sets);

}  // namespace stitch::evaluate
