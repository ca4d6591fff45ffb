// SPDX-License-Identifier: Apache-2.0
// Keeps scratch memory of its own from call to call.
#include "split_depth.h"

static int run_program(const Call& call) {
  static float* parts = nullptr;
  if (parts == nullptr) cudaMalloc(&parts, kPartsBytes);
  return compute_in_parts(call, parts);
}
