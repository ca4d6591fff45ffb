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

inline void ldmatrix_x4(uint32_t (&registers)[4], const void* row) {
  stitch_count_access(row, 16, false);
  LdmatrixLane state{registers, static_cast<const uint32_t*>(row)};
  stitch_warp_collective(&state, gather_rows);
}

}  // namespace stitch::ptx::emulated
