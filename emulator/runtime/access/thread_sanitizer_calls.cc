// SPDX-License-Identifier: Apache-2.0
// What units compiled with -fsanitize=thread call for each load, store and atomic operation. There is no
// ThreadSanitizer here: plain accesses are counted, atomic ones are carried out.
#include "access/accesses.h"

#ifdef STITCH_EMULATOR_COUNTED

using namespace stitch_emulator;

#define STITCH_CALLER reinterpret_cast<uintptr_t>(__builtin_return_address(0))
#define STITCH_ACCESS(NAME, BYTES, KIND) \
  void __tsan_##NAME(void* address) { note_access(address, BYTES, AccessKind::KIND, STITCH_CALLER); }
#define STITCH_SIZES(PREFIX)               \
  STITCH_ACCESS(PREFIX##read2, 2, kRead)   \
  STITCH_ACCESS(PREFIX##read4, 4, kRead)   \
  STITCH_ACCESS(PREFIX##read8, 8, kRead)   \
  STITCH_ACCESS(PREFIX##read16, 16, kRead) \
  STITCH_ACCESS(PREFIX##write2, 2, kWrite) \
  STITCH_ACCESS(PREFIX##write4, 4, kWrite) \
  STITCH_ACCESS(PREFIX##write8, 8, kWrite) \
  STITCH_ACCESS(PREFIX##write16, 16, kWrite)

// Order is sequential whatever was asked for: kernels run on one thread, and host code may be slower here.
#define STITCH_ORDER int
#define STITCH_FETCH(BITS, TYPE, NAME)                                                        \
  TYPE __tsan_atomic##BITS##_fetch_##NAME(volatile TYPE* address, TYPE value, STITCH_ORDER) { \
    return __atomic_fetch_##NAME(address, value, __ATOMIC_SEQ_CST);                           \
  }
#define STITCH_EXCHANGE(BITS, TYPE, STRENGTH, WEAK)                                                         \
  int __tsan_atomic##BITS##_compare_exchange_##STRENGTH(volatile TYPE* address, TYPE* expected, TYPE value, \
                                                        STITCH_ORDER, STITCH_ORDER) {                       \
    return __atomic_compare_exchange_n(address, expected, value, WEAK, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }
#define STITCH_ATOMICS(BITS, TYPE)                                                                                 \
  TYPE __tsan_atomic##BITS##_load(const volatile TYPE* address, STITCH_ORDER) {                                    \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                                             \
  }                                                                                                                \
  void __tsan_atomic##BITS##_store(volatile TYPE* address, TYPE value, STITCH_ORDER) {                             \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                                            \
  }                                                                                                                \
  TYPE __tsan_atomic##BITS##_exchange(volatile TYPE* address, TYPE value, STITCH_ORDER) {                          \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                                  \
  }                                                                                                                \
  TYPE __tsan_atomic##BITS##_compare_exchange_val(volatile TYPE* address, TYPE expected, TYPE value, STITCH_ORDER, \
                                                  STITCH_ORDER) {                                                  \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
    return expected;                                                                                               \
  }                                                                                                                \
  STITCH_EXCHANGE(BITS, TYPE, strong, false)                                                                       \
  STITCH_EXCHANGE(BITS, TYPE, weak, true)                                                                          \
  STITCH_FETCH(BITS, TYPE, add)                                                                                    \
  STITCH_FETCH(BITS, TYPE, sub)                                                                                    \
  STITCH_FETCH(BITS, TYPE, and)                                                                                    \
  STITCH_FETCH(BITS, TYPE, or)                                                                                     \
  STITCH_FETCH(BITS, TYPE, xor)                                                                                    \
  STITCH_FETCH(BITS, TYPE, nand)

extern "C" {

STITCH_ACCESS(read1, 1, kRead)
STITCH_ACCESS(write1, 1, kWrite)
STITCH_SIZES()
STITCH_SIZES(unaligned_)
STITCH_ACCESS(volatile_read1, 1, kRead)
STITCH_ACCESS(volatile_write1, 1, kWrite)
STITCH_SIZES(volatile_)

void __tsan_read_range(void* address, size_t bytes) { note_access(address, bytes, AccessKind::kRead, STITCH_CALLER); }
void __tsan_write_range(void* address, size_t bytes) { note_access(address, bytes, AccessKind::kWrite, STITCH_CALLER); }

STITCH_ATOMICS(8, char)
STITCH_ATOMICS(16, short)
STITCH_ATOMICS(32, int)
STITCH_ATOMICS(64, long)

void __tsan_atomic_thread_fence(STITCH_ORDER) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(STITCH_ORDER) {}
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void** address, void* value) { *address = value; }

}  // extern "C"

#endif
