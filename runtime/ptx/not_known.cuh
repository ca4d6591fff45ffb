// SPDX-License-Identifier: Apache-2.0
// Numbers that the compiler cannot trace.
#pragma once

namespace stitch::ptx {

// The same number, of which the compiler knows nothing: what is computed from it here is not kept in registers since
// before.
__device__ __forceinline__ int not_known(int number) {
#ifndef STITCH_EMULATED
  asm volatile("" : "+r"(number));
#endif
  return number;
}

}  // namespace stitch::ptx
