// SPDX-License-Identifier: Apache-2.0
// Throws through the C interface.
#include "linear_relu.h"

static int run_program(const Call& call) {
  if (call.stream() != nullptr || call.input(0) != nullptr) throw 1;
  return honest(call);
}
