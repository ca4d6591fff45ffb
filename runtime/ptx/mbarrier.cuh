// SPDX-License-Identifier: Apache-2.0
// Barriers in shared memory that count arrivals and the bytes of bulk copies (sm_90 and later). A barrier's phases are
// numbered from 0; one ends when all expected arrivals have come and no bytes are outstanding.
#pragma once

#include <stdint.h>

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/mbarrier.h>
#endif

namespace stitch::ptx {

// By one thread; the others may use it after mbarrier_fence_init by that thread and a barrier of the block.
__device__ __forceinline__ void mbarrier_init(uint64_t* barrier, int arrivals) {
#ifdef STITCH_EMULATED
  emulated::mbarrier_init(barrier, arrivals);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(address), "r"(arrivals) : "memory");
#endif
}

// Makes barriers that this thread initialised visible to the copy engine too.
__device__ __forceinline__ void mbarrier_fence_init() {
#ifndef STITCH_EMULATED
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
#endif
}

__device__ __forceinline__ void mbarrier_arrive(uint64_t* barrier) {
#ifdef STITCH_EMULATED
  emulated::mbarrier_arrive(barrier);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(address) : "memory");
#endif
}

// Arrives, and has the phase wait for that many bytes as well.
__device__ __forceinline__ void mbarrier_arrive_expecting(uint64_t* barrier, uint32_t bytes) {
#ifdef STITCH_EMULATED
  emulated::mbarrier_arrive_expecting(barrier, bytes);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(address), "r"(bytes) : "memory");
#endif
}

// Waits until the phase of this parity has ended: the barrier is in a phase of the other one.
__device__ __forceinline__ void mbarrier_wait(uint64_t* barrier, uint32_t parity) {
#ifdef STITCH_EMULATED
  emulated::mbarrier_wait(barrier, parity);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  asm volatile(
      "{\n.reg .pred done;\nagain:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
      "@done bra over;\nbra again;\nover:\n}\n" ::"r"(address),
      "r"(parity)
      : "memory");
#endif
}

}  // namespace stitch::ptx
