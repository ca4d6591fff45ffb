// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies from global to shared memory (sm_80 and later). Each copies `valid_bytes` and fills the rest of
// its 4 or 16 bytes with zeros; with valid_bytes == 0 the source is not read.
#pragma once

#include <stdint.h>

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/cp_async.h>
#endif

namespace stitch::ptx {

// Both addresses 16-byte aligned. Goes past L1.
__device__ __forceinline__ void cp_async_16(void* shared, const void* global, int valid_bytes) {
#ifdef STITCH_EMULATED
  emulated::cp_async(shared, global, 16, valid_bytes);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;\n" ::"r"(address), "l"(global), "r"(valid_bytes));
#endif
}

__device__ __forceinline__ void cp_async_4(void* shared, const void* global, int valid_bytes) {
#ifdef STITCH_EMULATED
  emulated::cp_async(shared, global, 4, valid_bytes);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(address), "l"(global), "r"(valid_bytes));
#endif
}

// Whole copies: nothing is filled with zeros.
__device__ __forceinline__ void cp_async_16(void* shared, const void* global) {
#ifdef STITCH_EMULATED
  emulated::cp_async(shared, global, 16, 16);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(address), "l"(global));
#endif
}

__device__ __forceinline__ void cp_async_4(void* shared, const void* global) {
#ifdef STITCH_EMULATED
  emulated::cp_async(shared, global, 4, 4);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\n" ::"r"(address), "l"(global));
#endif
}

// Four bytes, or zeros where the source is not valid (and then not read).
__device__ __forceinline__ void cp_async_4_or_zero(void* shared, const void* global, bool valid) {
#ifdef STITCH_EMULATED
  emulated::cp_async(shared, global, 4, valid ? 4 : 0);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile(
      "{\n.reg .pred ignore;\nsetp.eq.u32 ignore, %2, 0;\n"
      "cp.async.ca.shared.global [%0], [%1], 4, ignore;\n}\n" ::"r"(address),
      "l"(global), "r"(static_cast<uint32_t>(valid)));
#endif
}

// Closes the group of copies that this thread has started since the last commit.
__device__ __forceinline__ void cp_async_commit() {
#ifdef STITCH_EMULATED
  emulated::cp_async_commit();
#else
  asm volatile("cp.async.commit_group;\n" ::);
#endif
}

// Waits until at most kPending of this thread's youngest groups are still under way.
template <int kPending>
__device__ __forceinline__ void cp_async_wait() {
#ifdef STITCH_EMULATED
  emulated::cp_async_wait(kPending);
#else
  asm volatile("cp.async.wait_group %0;\n" ::"n"(kPending) : "memory");
#endif
}

// Arrives at a barrier (mbarrier.cuh) once all copies that this thread has started before have come: one of the
// arrivals that it was initialised for.
__device__ __forceinline__ void cp_async_arrive(uint64_t* barrier) {
#ifdef STITCH_EMULATED
  emulated::cp_async_arrive(barrier);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];\n" ::"r"(address) : "memory");
#endif
}

}  // namespace stitch::ptx
