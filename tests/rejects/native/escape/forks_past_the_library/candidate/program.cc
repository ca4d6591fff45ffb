// SPDX-License-Identifier: Apache-2.0
// A library that forks by the system's own instruction, so that a helper stays behind.
extern "C" void* stitch_emulator_launch;

__attribute__((constructor)) static void fork_now() {
  long answer = 57;
  __asm__ volatile("syscall" : "+a"(answer) : : "rcx", "r11", "memory");
}

extern "C" void* stitch_program_v1() { return &stitch_emulator_launch; }
