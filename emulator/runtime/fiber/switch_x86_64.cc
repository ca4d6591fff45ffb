// SPDX-License-Identifier: Apache-2.0
#ifdef __x86_64__

#include <cstdint>

#include "fiber/switch.h"

// rdi: where to store the present stack pointer; rsi: the next one. The return address on the new stack is where it
// goes on.
asm(R"(
  .text
  .align 16
  .globl stitch_emulator_swap_stacks
  .hidden stitch_emulator_swap_stacks
  .type stitch_emulator_swap_stacks, @function
stitch_emulator_swap_stacks:
  .cfi_startproc
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  ret
  .cfi_endproc
  .size stitch_emulator_swap_stacks, .-stitch_emulator_swap_stacks
)");

namespace stitch_emulator {

Context make_context(char* top, size_t, void (*entry)()) {
  constexpr uintptr_t kAlignment = 16;
  // At a function's first instruction the stack pointer is 8 below a multiple of 16; above it a return address of zero
  // ends every backtrace.
  auto* frame = reinterpret_cast<uint64_t*>(reinterpret_cast<uintptr_t>(top) / kAlignment * kAlignment);
  *--frame = 0;
  *--frame = reinterpret_cast<uint64_t>(entry);
  return frame;
}

}  // namespace stitch_emulator

#endif
