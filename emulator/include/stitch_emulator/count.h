// SPDX-License-Identifier: Apache-2.0
// What kernels do that a compiler's own marks on loads and stores do not show. Counted in the counted build alone.
#pragma once

#include <stddef.h>
#include <stdint.h>

// The last is of 16 bits, too, by instructions of a whole warp group (wgmma).
enum { STITCH_TF32_PIPE = 0, STITCH_HALF_PIPE = 1, STITCH_GROUP_PIPE = 2 };

// For functions of the emulator's own: what they access is counted by a call, or is none of the kernel's.
#define STITCH_UNMARKED __attribute__((no_sanitize("thread")))

extern "C" {
void stitch_count_atomic(const void* address, size_t bytes, const char* file, int line);
// The running lane reads or writes this in one instruction.
void stitch_count_access(const void* address, size_t bytes, bool writes);
// A tensor core reads so many bytes of shared memory by itself.
void stitch_count_shared_operand(size_t bytes);
// Multiplications and additions of one operation of a tensor core.
void stitch_count_matrix_flops(int pipe, uint64_t flops);
// The host's launches from here on belong to this step of a program; -1: to none.
void stitch_begin_step(int step);
}
