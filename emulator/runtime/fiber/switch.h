// SPDX-License-Identifier: Apache-2.0
// The bare switch from one stack to another. On x86-64 it is a few instructions of our own that leave by `ret`: with
// Boost.Context's, which leave by `jmp`, every return after a switch is mispredicted, and a barrier costs three times
// as much. Elsewhere Boost.Context does it.
#pragma once

#include <stddef.h>

namespace stitch_emulator {

// A suspended stack: where to go on.
using Context = void*;

// A context that will call `entry` on the stack whose highest byte lies before `top`. `entry` must not return.
Context make_context(char* top, size_t bytes, void (*entry)());

#ifdef __x86_64__

extern "C" void stitch_emulator_swap_stacks();

// Stores where the caller stands in *from and goes on at `to`; returns when somebody switches back. Inlined, so that
// the compiler saves the registers in use once, in the calling function, and a waiting thread touches few cache lines.
// The call inside needs -mno-red-zone. Rounding modes are left alone: no thread of a kernel may change them.
inline __attribute__((always_inline)) void switch_context(Context* from, Context to) {
  asm volatile(
      "pushq %%rbp\n\t"
      "call stitch_emulator_swap_stacks\n\t"
      "popq %%rbp"
      : "+D"(from), "+S"(to)
      :
      : "rax", "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc");
}

#else

void switch_context(Context* from, Context to);

#endif

}  // namespace stitch_emulator
