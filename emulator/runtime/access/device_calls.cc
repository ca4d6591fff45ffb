// SPDX-License-Identifier: Apache-2.0
// What the header overlay tells of accesses that no compiler sees as such. Of use in the counted build alone.
#include "access/accesses.h"
#include "stitch_emulator/count.h"

using namespace stitch_emulator;

extern "C" {

// The strings of one place are one object in a library; the line tells places of one file apart.
void stitch_count_atomic(const void* address, size_t bytes, const char* file, int line) {
  constexpr unsigned kLineShift = 24;
  note_access(address, bytes, AccessKind::kAtomic,
              (reinterpret_cast<uintptr_t>(file) ^ static_cast<uintptr_t>(line) << kLineShift) & 0xffffffffffffu);
}

void stitch_count_access(const void* address, size_t bytes, bool writes) {
  note_access(address, bytes, writes ? AccessKind::kWrite : AccessKind::kRead,
              reinterpret_cast<uintptr_t>(__builtin_return_address(0)));
}

void stitch_count_shared_operand(size_t bytes) { note_shared_operand(bytes); }

void stitch_count_matrix_flops(int pipe, uint64_t flops) { note_matrix_flops(pipe, flops); }

}  // extern "C"
