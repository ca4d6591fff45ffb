// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/mbarrier.cuh does on the emulated device.
#pragma once

#include <stdint.h>

#include "stitch_emulator/mbarrier.h"

namespace stitch::ptx::emulated {

inline void mbarrier_init(uint64_t* barrier, int arrivals) {
  stitch_mbarrier_init(barrier, arrivals, __FILE__, __LINE__);
}
inline void mbarrier_arrive_expecting(uint64_t* barrier, uint32_t bytes) {
  stitch_mbarrier_arrive(barrier, bytes, __FILE__, __LINE__);
}
inline void mbarrier_arrive(uint64_t* barrier) { mbarrier_arrive_expecting(barrier, 0); }
inline void mbarrier_wait(uint64_t* barrier, uint32_t parity) {
  stitch_mbarrier_wait(barrier, parity, __FILE__, __LINE__);
}

}  // namespace stitch::ptx::emulated
