// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/warpgroup.cuh does on the emulated device.
#pragma once

#include "stitch_emulator/synchronise.h"

namespace stitch::ptx::emulated {

inline void barrier_of_threads(int name, int threads) { stitch_named_barrier(name, threads, __FILE__, __LINE__); }

}  // namespace stitch::ptx::emulated
