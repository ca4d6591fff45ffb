// SPDX-License-Identifier: Apache-2.0
// One access of a warp: what its lanes' accesses at one instruction cost together.
#pragma once

#include <stdint.h>

namespace stitch_emulator {

constexpr uint32_t kSectorBytes = 32;
constexpr uint32_t kBankBytes = 4;
constexpr uint32_t kBanks = 32;

struct WarpAccess {
  uint32_t lanes = 0;  // that took part
  uint32_t bytes = 0;  // of each: 1 to 16
  uint32_t warp = 0;   // of the block
  uint32_t at[32];     // global: the sector; shared: the byte
};

// Different sectors of global memory, in order; answers how many.
uint32_t sectors_of(const WarpAccess& access, uint32_t (&sectors)[32]);
// Lanes that update the same sector wait for each other. Each sector moves twice.
uint32_t atomic_sectors_of(const WarpAccess& access);
// Times that the banks of shared memory have to be gone through: lanes that want different words of one bank take
// turns. Accesses of 8 and 16 bytes are made by halves and quarters of a warp, which go together where each lane's
// neighbour, or its neighbour's, wants the same.
uint32_t wavefronts_of(const WarpAccess& access);
// Lanes that update the same word wait for each other, too.
uint32_t atomic_wavefronts_of(const WarpAccess& access);

}  // namespace stitch_emulator
