// SPDX-License-Identifier: Apache-2.0
// Atomics. Threads of a kernel switch only where they wait, so a plain read-modify-write is atomic; what remains is to
// notice a thread that spins on one, and to let the others run meanwhile.
#pragma once

#include "stitch_emulator/count.h"
#include "stitch_emulator/language.h"

extern "C" {
extern int stitch_spin_budget;
void stitch_spin_exhausted(const char* file, int line);
// The checked build: after an atomic operation.
void stitch_note_atomic(const void* address, size_t bytes);
}

namespace stitch_emulator {

inline void count_atomic(const char* file, int line) {
  if (--stitch_spin_budget <= 0) {
    stitch_spin_exhausted(file, line);
  }
}

template <class T>
struct Same {
  using Type = T;
};

template <class T, class Update>
STITCH_UNMARKED inline T update(T* address, Update next, const char* file, int line) {
  count_atomic(file, line);
  stitch_count_atomic(address, sizeof(T), file, line);
  const T old = *address;
  *address = next(old);
#ifdef __SANITIZE_ADDRESS__
  stitch_note_atomic(address, sizeof(T));
#endif
  return old;
}

}  // namespace stitch_emulator

// The operand is a non-deduced T, so that atomicAdd(&unsigned_counter, 1) compiles as it does under nvcc.
#define STITCH_ATOMIC(NAME, EXPRESSION)                                                             \
  template <class T>                                                                                \
  inline T NAME(T* address, typename stitch_emulator::Same<T>::Type value, STITCH_PLACE) {          \
    return stitch_emulator::update(                                                                 \
        address, [=](T old) -> T { return EXPRESSION; }, STITCH_PLACE_ARGUMENTS);                   \
  }                                                                                                 \
  template <class T>                                                                                \
  inline T NAME##_block(T* address, typename stitch_emulator::Same<T>::Type value, STITCH_PLACE) {  \
    return NAME(address, value, STITCH_PLACE_ARGUMENTS);                                            \
  }                                                                                                 \
  template <class T>                                                                                \
  inline T NAME##_system(T* address, typename stitch_emulator::Same<T>::Type value, STITCH_PLACE) { \
    return NAME(address, value, STITCH_PLACE_ARGUMENTS);                                            \
  }

STITCH_ATOMIC(atomicAdd, old + value)
STITCH_ATOMIC(atomicSub, old - value)
STITCH_ATOMIC(atomicMin, value < old ? value : old)
STITCH_ATOMIC(atomicMax, old < value ? value : old)
STITCH_ATOMIC(atomicAnd, old& value)
STITCH_ATOMIC(atomicOr, old | value)
STITCH_ATOMIC(atomicXor, old ^ value)
STITCH_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
STITCH_ATOMIC(atomicDec, old == 0 || old > value ? value : T(old - 1))
STITCH_ATOMIC(atomicExch, ((void)old, value))
#undef STITCH_ATOMIC

#define STITCH_ATOMIC_VECTOR(TYPE, SUM)                                          \
  inline TYPE atomicAdd(TYPE* address, TYPE value, STITCH_PLACE) {               \
    return stitch_emulator::update(                                              \
        address, [=](TYPE old) -> TYPE { return SUM; }, STITCH_PLACE_ARGUMENTS); \
  }
STITCH_ATOMIC_VECTOR(float2, (make_float2(old.x + value.x, old.y + value.y)))
STITCH_ATOMIC_VECTOR(float4, (make_float4(old.x + value.x, old.y + value.y, old.z + value.z, old.w + value.w)))
#undef STITCH_ATOMIC_VECTOR

template <class T>
inline T atomicCAS(T* address, typename stitch_emulator::Same<T>::Type expected,
                   typename stitch_emulator::Same<T>::Type desired, STITCH_PLACE) {
  return stitch_emulator::update(
      address, [=](T old) -> T { return old == expected ? desired : old; }, STITCH_PLACE_ARGUMENTS);
}
