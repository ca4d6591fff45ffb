// SPDX-License-Identifier: Apache-2.0
// What the warpgroups (four warps) of a specialised block do each for themselves (sm_90a).
#pragma once

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/warpgroup.h>
#endif

namespace stitch::ptx {

// Hands registers of the warpgroup back, or waits for and takes more: kCount a thread afterwards, a multiple of 8.
// Works in kernels with __launch_bounds__(threads, 1), at the start of a branch that whole warpgroups take.
template <int kCount>
__device__ __forceinline__ void hand_back_registers() {
#ifndef STITCH_EMULATED
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(kCount));
#endif
}
template <int kCount>
__device__ __forceinline__ void take_registers() {
#ifndef STITCH_EMULATED
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(kCount));
#endif
}

// A barrier of some warps of the block: kThreads threads in all, kName from 1 to 15.
template <int kName, int kThreads>
__device__ __forceinline__ void barrier_of_threads() {
#ifdef STITCH_EMULATED
  emulated::barrier_of_threads(kName, kThreads);
#else
  asm volatile("bar.sync %0, %1;\n" ::"n"(kName), "n"(kThreads) : "memory");
#endif
}

}  // namespace stitch::ptx
