// SPDX-License-Identifier: Apache-2.0
// What lanes of a warp do together. A lane leaves its operand and waits; the last one to arrive computes every lane's
// result at once, so that no lane can overwrite an operand another has still to read.
#pragma once

#include "stitch_emulator/language.h"

namespace stitch_emulator {

constexpr unsigned int kFullMask = 0xffffffffu;

// One operation in flight: filled lane by lane, combined once. `lanes` are the lanes that took part.
struct WarpExchange {
  uint64_t in[32];
  uint64_t out[32];
  uint32_t argument[32];
};
using WarpCombine = void (*)(WarpExchange& exchange, uint32_t lanes);

}  // namespace stitch_emulator

extern "C" {
// All lanes named in `mask` that have not ended must call with the same mask and combine. Returns this lane's out[].
uint64_t stitch_warp_exchange(stitch_emulator::WarpCombine combine, uint32_t mask, uint64_t in, uint32_t argument,
                              const char* name, const char* file, int line);
// The lanes of this warp that stand at this same place once no lane of the warp can run on: __activemask().
uint32_t stitch_warp_converge(const char* file, int line);
// Every lane of the warp (that has not ended) leaves its pointer; `body` runs once over all 32 (null for lanes that
// are absent), then all go on.
void stitch_warp_collective(void* lane_state, void (*body)(void* const lane_states[32]),
                            const char* file = __builtin_FILE(), int line = __builtin_LINE());
// Once for each operation of a tensor core, from the `body` that computes it.
void stitch_count_matrix_operation(void);
}

namespace stitch_emulator {
inline void combine_nothing(WarpExchange&, uint32_t) {}
}  // namespace stitch_emulator

inline void __syncwarp(unsigned int mask = stitch_emulator::kFullMask, STITCH_PLACE) {
  stitch_warp_exchange(stitch_emulator::combine_nothing, mask, 0, 0, "__syncwarp", STITCH_PLACE_ARGUMENTS);
}
inline unsigned int __activemask(STITCH_PLACE) { return stitch_warp_converge(STITCH_PLACE_ARGUMENTS); }
