// SPDX-License-Identifier: Apache-2.0
// Works in every second call.
#include "linear_relu.h"

static int run_program(const Call& call) {
  static int calls = 0;
  return calls++ % 2 == 0 ? honest(call) : 0;
}
