// SPDX-License-Identifier: Apache-2.0
// Asks for more memory than there is.
#include "linear_relu.h"

static int run_program(const Call& call) {
  static void* memory = nullptr;
  if (memory == nullptr && cudaMalloc(&memory, size_t{1} << 44) != cudaSuccess) return 1;
  return honest(call);
}
