// SPDX-License-Identifier: Apache-2.0
// The primitives of the toolkit's cuda_pipeline.h.
#pragma once

#include "stitch_emulator/async_copy.h"

inline void __pipeline_memcpy_async(void* shared, const void* global, size_t bytes, size_t zero_filled = 0,
                                    STITCH_PLACE) {
  stitch_async_copy(shared, global, static_cast<int>(bytes), static_cast<int>(bytes - zero_filled),
                    STITCH_PLACE_ARGUMENTS);
}
inline void __pipeline_commit() { stitch_async_commit(); }
inline void __pipeline_wait_prior(size_t prior) { stitch_async_wait(static_cast<int>(prior)); }
