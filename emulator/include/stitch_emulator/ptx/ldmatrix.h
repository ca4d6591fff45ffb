// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/ldmatrix.cuh does on the emulated device.
#pragma once

#include <stdint.h>

#include "stitch_emulator/collective.h"
#include "stitch_emulator/count.h"

namespace stitch::ptx::emulated {

struct LdmatrixLane {
  uint32_t* registers;
  const uint32_t* row;
};

inline void gather_rows(void* const lanes[32]) {
  for (int lane = 0; lane < 32; ++lane) {
    const auto* state = static_cast<const LdmatrixLane*>(lanes[lane]);
    for (int matrix = 0; matrix < 4; ++matrix) {
      const auto* owner = static_cast<const LdmatrixLane*>(lanes[matrix * 8 + lane / 4]);
      state->registers[matrix] = owner->row[lane % 4];
    }
  }
}

inline uint32_t element_of_row(const LdmatrixLane* owner, int element) {
  return owner->row[element / 2] >> (element % 2 * 16) & 0xffffu;
}

inline void gather_columns(void* const lanes[32]) {
  for (int lane = 0; lane < 32; ++lane) {
    const auto* state = static_cast<const LdmatrixLane*>(lanes[lane]);
    for (int matrix = 0; matrix < 4; ++matrix) {
      const int owner = matrix * 8 + lane % 4 * 2;
      const uint32_t low = element_of_row(static_cast<const LdmatrixLane*>(lanes[owner]), lane / 4);
      const uint32_t high = element_of_row(static_cast<const LdmatrixLane*>(lanes[owner + 1]), lane / 4);
      state->registers[matrix] = low | high << 16;
    }
  }
}

inline void ldmatrix_x4(uint32_t (&registers)[4], const void* row) {
  stitch_count_access(row, 16, false);
  LdmatrixLane state{registers, static_cast<const uint32_t*>(row)};
  stitch_warp_collective(&state, gather_rows);
}

inline void ldmatrix_x4_transposed(uint32_t (&registers)[4], const void* row) {
  stitch_count_access(row, 16, false);
  LdmatrixLane state{registers, static_cast<const uint32_t*>(row)};
  stitch_warp_collective(&state, gather_columns);
}

}  // namespace stitch::ptx::emulated
