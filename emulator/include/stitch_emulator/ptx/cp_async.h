// SPDX-License-Identifier: Apache-2.0
// What runtime/ptx/cp_async.cuh does on the emulated device: as the primitives of cuda_pipeline.h.
#pragma once

#include <stdint.h>

#include "stitch_emulator/async_copy.h"
#include "stitch_emulator/mbarrier.h"

namespace stitch::ptx::emulated {

inline void cp_async(void* shared, const void* global, int bytes, int valid_bytes) {
  stitch_async_copy(shared, global, bytes, valid_bytes, __FILE__, __LINE__);
}

inline void cp_async_commit() { stitch_async_commit(); }
inline void cp_async_wait(int pending) { stitch_async_wait(pending); }

// As if the copies were there at once: which of them are is decided when they start.
inline void cp_async_arrive(uint64_t* barrier) {
  stitch_async_wait(-1);
  stitch_mbarrier_arrive(barrier, 0, __FILE__, __LINE__);
}

}  // namespace stitch::ptx::emulated
