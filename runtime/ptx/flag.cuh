// SPDX-License-Identifier: Apache-2.0
// Counters in global memory by which blocks tell each other what they have written.
#pragma once

namespace stitch::ptx {

// What this thread wrote before, and what others of its block did before a barrier of both, is seen before the count.
__device__ __forceinline__ void add_release(unsigned* counter, unsigned count) {
#ifdef STITCH_EMULATED
  __threadfence();
  atomicAdd(counter, count);
#else
  asm volatile("red.release.gpu.global.add.u32 [%0], %1;\n" ::"l"(counter), "r"(count) : "memory");
#endif
}

// Who sees a count sees what was written before it; others of the block do after a barrier.
__device__ __forceinline__ unsigned load_acquire(unsigned* counter) {
#ifdef STITCH_EMULATED
  const unsigned count = atomicAdd(counter, 0u);
  __threadfence();
  return count;
#else
  unsigned count;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];\n" : "=r"(count) : "l"(counter) : "memory");
  return count;
#endif
}

}  // namespace stitch::ptx
