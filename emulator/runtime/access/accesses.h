// SPDX-License-Identifier: Apache-2.0
// The counted build: what kernels do to memory, access by access. Elsewhere these are empty.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "stitch_emulator_control.h"

namespace stitch_emulator {

enum class AccessKind : uint8_t { kRead, kWrite, kAtomic };

#ifdef STITCH_EMULATOR_COUNTED
constexpr bool kCounted = true;
// Around a launch. The end answers what all of it did.
void begin_launch_accesses(size_t dynamic_shared_bytes);
stitch_emulator_accesses end_launch_accesses();
// Around each of its blocks.
void begin_block_accesses();
void end_block_accesses();

// An access of the running thread. Accesses of a warp's lanes that have `place`, and the number of times that their
// thread came by there, in common are one access of the warp.
void note_access(const void* address, size_t bytes, AccessKind kind, uintptr_t place);
// A copy from global to shared memory that the running thread starts and does not wait for.
void note_async_copy(const void* global, size_t global_bytes, const void* shared, size_t shared_bytes, uintptr_t place);
void note_async_commit();
// It waits until no more than so many groups of its copies are under way; negative: for all that it has started.
void note_async_wait(int pending);
// What was read before is made use of.
void note_block_meeting();
void note_warp_meeting(unsigned int warp);
// A copy from global to shared memory that one thread starts for its block.
void note_bulk_copy(const void* global, size_t bytes);
// Operands that a tensor core reads from shared memory by itself.
void note_shared_operand(size_t bytes);
void note_matrix_flops(int pipe, uint64_t flops);

// While one lives, accesses belong to an operation of a warp that is noted as a whole.
class Uncounted {
 public:
  Uncounted();
  ~Uncounted();
  Uncounted(const Uncounted&) = delete;
  Uncounted& operator=(const Uncounted&) = delete;
};
#else
constexpr bool kCounted = false;
inline void begin_launch_accesses(size_t) {}
inline stitch_emulator_accesses end_launch_accesses() { return {}; }
inline void begin_block_accesses() {}
inline void end_block_accesses() {}
inline void note_access(const void*, size_t, AccessKind, uintptr_t) {}
inline void note_async_copy(const void*, size_t, const void*, size_t, uintptr_t) {}
inline void note_async_commit() {}
inline void note_async_wait(int) {}
inline void note_block_meeting() {}
inline void note_warp_meeting(unsigned int) {}
inline void note_bulk_copy(const void*, size_t) {}
inline void note_shared_operand(size_t) {}
inline void note_matrix_flops(int, uint64_t) {}
class Uncounted {
 public:
  Uncounted() {}
};
#endif

}  // namespace stitch_emulator
