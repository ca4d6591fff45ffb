// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/bulk_copy.cuh does on the emulated device.
#pragma once

#include <stdint.h>

#include "stitch_emulator/mbarrier.h"

namespace stitch::ptx::emulated {

inline void bulk_copy(void* shared, const void* global, uint32_t bytes, uint64_t* barrier) {
  stitch_bulk_copy(shared, global, bytes, barrier, __FILE__, __LINE__);
}

}  // namespace stitch::ptx::emulated
