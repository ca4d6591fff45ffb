// SPDX-License-Identifier: Apache-2.0
// Loads and stores with cache hints, address-space queries and conversions: hints have no effect here.
#pragma once

#include "stitch_emulator/language.h"

#define STITCH_LOAD(NAME)           \
  template <class T>                \
  inline T NAME(const T* address) { \
    return *address;                \
  }
STITCH_LOAD(__ldg)
STITCH_LOAD(__ldcg)
STITCH_LOAD(__ldca)
STITCH_LOAD(__ldcs)
STITCH_LOAD(__ldlu)
STITCH_LOAD(__ldcv)
#undef STITCH_LOAD

#define STITCH_STORE(NAME)                       \
  template <class T>                             \
  inline void NAME(T* address, const T& value) { \
    *address = value;                            \
  }
STITCH_STORE(__stwb)
STITCH_STORE(__stcg)
STITCH_STORE(__stcs)
STITCH_STORE(__stwt)
#undef STITCH_STORE

extern "C" {
// Whether the address lies in this block's shared memory, static or dynamic.
bool stitch_is_shared(const void* address);
// What a 32-bit shared-memory address means on the device: the offset from the start of the block's shared memory.
uint32_t stitch_shared_offset(const void* address, const char* file, int line);
void* stitch_shared_pointer(uint32_t offset);
}

inline unsigned int __isShared(const void* address) { return stitch_is_shared(address); }
inline unsigned int __isGlobal(const void* address) { return !stitch_is_shared(address); }
inline size_t __cvta_generic_to_shared(const void* address, STITCH_PLACE) {
  return stitch_shared_offset(address, STITCH_PLACE_ARGUMENTS);
}
inline void* __cvta_shared_to_generic(size_t offset) { return stitch_shared_pointer(static_cast<uint32_t>(offset)); }
inline size_t __cvta_generic_to_global(const void* address) { return reinterpret_cast<size_t>(address); }

inline long long clock64() { return static_cast<long long>(__builtin_ia32_rdtsc()); }
