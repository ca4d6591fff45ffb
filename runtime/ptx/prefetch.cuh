// SPDX-License-Identifier: Apache-2.0
// Fetches a line of global memory into the multiprocessor's cache; nobody waits for it.
#pragma once

namespace stitch::ptx {

__device__ __forceinline__ void prefetch([[maybe_unused]] const void* pointer) {
#ifndef STITCH_EMULATED
  asm volatile("prefetch.global.L1 [%0];\n" ::"l"(__cvta_generic_to_global(pointer)));
#endif
}

}  // namespace stitch::ptx
