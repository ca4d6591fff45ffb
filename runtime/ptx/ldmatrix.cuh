// SPDX-License-Identifier: Apache-2.0
// Loads four 8 x 16-byte matrices from shared memory, spread over the warp as mma operands want them.
#pragma once

#include <stdint.h>

#ifdef STITCH_EMULATED
#include <stitch_emulator/ptx/ldmatrix.h>
#endif

namespace stitch::ptx {

// Lane l passes the address of row l % 8 of matrix l / 8 (16-byte aligned). Afterwards registers[i] of lane l holds
// word l % 4 of row l / 4 of matrix i. All 32 lanes must take part.
__device__ __forceinline__ void ldmatrix_x4(uint32_t (&registers)[4], const void* row) {
#ifdef STITCH_EMULATED
  emulated::ldmatrix_x4(registers, row);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(address));
#endif
}

// The same of matrices of 8 x 8 16-bit elements, each transposed on its way: registers[i] of lane l holds rows
// 2 * (l % 4), in its low half, and 2 * (l % 4) + 1 of column l / 4 of matrix i.
__device__ __forceinline__ void ldmatrix_x4_transposed(uint32_t (&registers)[4], const void* row) {
#ifdef STITCH_EMULATED
  emulated::ldmatrix_x4_transposed(registers, row);
#else
  const auto address = static_cast<uint32_t>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(registers[0]), "=r"(registers[1]), "=r"(registers[2]), "=r"(registers[3])
               : "r"(address));
#endif
}

}  // namespace stitch::ptx
