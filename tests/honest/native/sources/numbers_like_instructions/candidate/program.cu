// SPDX-License-Identifier: Apache-2.0
// Has numbers in its host code whose bytes would be instructions that enter the system.
#include "linear_relu.h"

static uint64_t calls = 0x050f050f050f050f;

static int run_program(const Call& call) {
  calls = (calls ^ 0x80cd340f050f80cd) * 0x0f050f340f05cd81 + 0x050f;
  return calls == 0x340f340f050f050f ? 1 : honest(call);
}
