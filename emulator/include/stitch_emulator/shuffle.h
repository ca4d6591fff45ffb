// SPDX-License-Identifier: Apache-2.0
// __shfl_sync and its relatives for every type of up to eight bytes. Each lane names its source lane; the combine step
// is a gather.
#pragma once

#include "stitch_emulator/collective.h"

namespace stitch_emulator {

inline void combine_gather(WarpExchange& exchange, uint32_t) {
  for (int lane = 0; lane < 32; ++lane) {
    exchange.out[lane] = exchange.in[exchange.argument[lane] & 31u];
  }
}

template <class T>
inline T shuffle(unsigned int mask, T value, unsigned int source, const char* name, const char* file, int line) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most eight bytes");
  uint64_t bits = 0;
  memcpy(&bits, &value, sizeof(T));
  bits = stitch_warp_exchange(combine_gather, mask, bits, source, name, file, line);
  memcpy(&value, &bits, sizeof(T));
  return value;
}

// The first lane of this lane's segment of `width` lanes (a power of two).
inline unsigned int segment_start(int width) { return stitch_lane() & ~static_cast<unsigned int>(width - 1); }

}  // namespace stitch_emulator

template <class T>
inline T __shfl_sync(unsigned int mask, T value, int source, int width = 32, STITCH_PLACE) {
  const unsigned int from = stitch_emulator::segment_start(width) + (static_cast<unsigned int>(source) & (width - 1u));
  return stitch_emulator::shuffle(mask, value, from, "__shfl_sync", STITCH_PLACE_ARGUMENTS);
}

template <class T>
inline T __shfl_up_sync(unsigned int mask, T value, unsigned int delta, int width = 32, STITCH_PLACE) {
  const unsigned int lane = stitch_lane();
  const bool inside = (lane & (width - 1u)) >= delta;
  return stitch_emulator::shuffle(mask, value, inside ? lane - delta : lane, "__shfl_up_sync", STITCH_PLACE_ARGUMENTS);
}

template <class T>
inline T __shfl_down_sync(unsigned int mask, T value, unsigned int delta, int width = 32, STITCH_PLACE) {
  const unsigned int lane = stitch_lane();
  const bool inside = (lane & (width - 1u)) + delta < static_cast<unsigned int>(width);
  return stitch_emulator::shuffle(mask, value, inside ? lane + delta : lane, "__shfl_down_sync",
                                  STITCH_PLACE_ARGUMENTS);
}

template <class T>
inline T __shfl_xor_sync(unsigned int mask, T value, int lane_mask, int width = 32, STITCH_PLACE) {
  const unsigned int lane = stitch_lane();
  const unsigned int from = lane ^ static_cast<unsigned int>(lane_mask);
  // A source in a later segment than this lane's own is out of range; an earlier one may be read.
  const bool inside = from < stitch_emulator::segment_start(width) + static_cast<unsigned int>(width);
  return stitch_emulator::shuffle(mask, value, inside ? from : lane, "__shfl_xor_sync", STITCH_PLACE_ARGUMENTS);
}
