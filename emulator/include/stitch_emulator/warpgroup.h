// SPDX-License-Identifier: Apache-2.0
// Asynchronous products of a warpgroup, 128 threads from a multiple of 128 on. Each thread leaves its share; a product
// is carried out when all of them wait for it, in a random order now and then together with later ones. Memory,
// accumulators and operands in registers are read only then: a program that changes them between the issue and the wait
// gets wrong results.
#pragma once

#include "stitch_emulator/language.h"

namespace stitch_emulator {

constexpr int kGroupThreads = 128;

// A thread's share: its accumulators, and operands by descriptor, or its part of a in registers.
struct GroupProduct {
  void (*body)(const GroupProduct* const threads[kGroupThreads]);
  float* d;
  uint64_t a;
  uint64_t b;
  bool accumulate;
  const uint32_t* a_registers = nullptr;
};

}  // namespace stitch_emulator

extern "C" {
void stitch_group_fence(void);
void stitch_group_product(const stitch_emulator::GroupProduct* share, const char* file, int line);
void stitch_group_commit(void);
// Until at most `pending` of the youngest committed groups are under way.
void stitch_group_wait(int pending, const char* file, int line);
}
