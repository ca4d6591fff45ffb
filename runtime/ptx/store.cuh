// SPDX-License-Identifier: Apache-2.0
// Stores of 8 and 16 bytes to global memory in one instruction. The compiler splits an assignment of as many bytes into
// one store an element wherever it cannot derive the alignment from the address itself, whatever the type promises.
#pragma once

#include <stdint.h>

namespace stitch::ptx {

// `pointer` must point to global memory and be aligned to the bytes that are stored.
__device__ __forceinline__ void store_words(void* pointer, const uint32_t (&words)[2]) {
#ifdef STITCH_EMULATED
  using Vector [[gnu::vector_size(8), gnu::may_alias]] = uint32_t;
  *static_cast<Vector*>(pointer) = Vector{words[0], words[1]};
#else
  asm volatile("st.global.v2.b32 [%0], {%1, %2};\n" ::"l"(__cvta_generic_to_global(pointer)), "r"(words[0]),
               "r"(words[1])
               : "memory");
#endif
}

__device__ __forceinline__ void store_words(void* pointer, const uint32_t (&words)[4]) {
#ifdef STITCH_EMULATED
  using Vector [[gnu::vector_size(16), gnu::may_alias]] = uint32_t;
  *static_cast<Vector*>(pointer) = Vector{words[0], words[1], words[2], words[3]};
#else
  asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};\n" ::"l"(__cvta_generic_to_global(pointer)), "r"(words[0]),
               "r"(words[1]), "r"(words[2]), "r"(words[3])
               : "memory");
#endif
}

}  // namespace stitch::ptx
