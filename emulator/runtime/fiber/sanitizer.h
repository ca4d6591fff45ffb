// SPDX-License-Identifier: Apache-2.0
// AddressSanitizer must be told of every stack switch and of memory that is ours but not yet a program's. In the plain
// build these are empty.
#pragma once

#include <stddef.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace stitch_emulator {

#ifdef __SANITIZE_ADDRESS__
constexpr bool kChecked = true;
inline void poison(const void* start, size_t bytes) { __asan_poison_memory_region(start, bytes); }
inline void unpoison(const void* start, size_t bytes) { __asan_unpoison_memory_region(start, bytes); }
#else
constexpr bool kChecked = false;
inline void poison(const void*, size_t) {}
inline void unpoison(const void*, size_t) {}
#endif

}  // namespace stitch_emulator
