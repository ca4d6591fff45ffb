// SPDX-License-Identifier: Apache-2.0
// Loads four 8 x 16-byte matrices from shared memory, spread over the warp as mma operands want them.
#pragma once

#include <stdint.h>

namespace stitch::ptx {

#ifdef STITCH_EMULATED
struct LdmatrixLane {
  uint32_t* registers;
  const uint32_t* row;
};

inline void emulate_ldmatrix(void* const lanes[32]) {
  for (int lane = 0; lane < 32; ++lane) {
    const auto* state = static_cast<const LdmatrixLane*>(lanes[lane]);
    for (int matrix = 0; matrix < 4; ++matrix) {
      const auto* owner = static_cast<const LdmatrixLane*>(lanes[matrix * 8 + lane / 4]);
      state->registers[matrix] = owner->row[lane % 4];
    }
  }
}
#endif

// Lane l passes the address of row l % 8 of matrix l / 8 (16-byte aligned). Afterwards registers[i] of lane l holds
// word l % 4 of row l / 4 of matrix i. All 32 lanes must take part.
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&registers)[4], const void* row) {
#ifdef STITCH_EMULATED
  LdmatrixLane state{registers, static_cast<const uint32_t*>(row)};
  stitch_warp_collective(&state, emulate_ldmatrix);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(address));
#endif
}

}  // namespace stitch::ptx
