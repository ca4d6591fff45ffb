// SPDX-License-Identifier: Apache-2.0
// Copies of whole blocks of memory by the copy engine (sm_90 and later).
#pragma once

#include <stdint.h>

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/bulk_copy.h>
#endif

namespace stitch::ptx {

// From global to shared memory, both 16-byte aligned, a multiple of 16 bytes, by the calling thread alone. `barrier`
// counts the bytes as they arrive. The tensor cores may read them after its phase without a fence.
__device__ __forceinline__ void bulk_copy(void* shared, const void* global, uint32_t bytes, uint64_t* barrier) {
#ifdef STITCH_EMULATED
  emulated::bulk_copy(shared, global, bytes, barrier);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
  const auto counter = static_cast<uint32_t>(__cvta_generic_to_shared(barrier));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(address),
      "l"(global), "r"(bytes), "r"(counter)
      : "memory");
#endif
}

}  // namespace stitch::ptx
