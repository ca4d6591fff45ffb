// SPDX-License-Identifier: Apache-2.0
// Loads code at run time.
#include <dlfcn.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  void* other = dlopen("./other.so", RTLD_NOW);
  return other == nullptr ? honest(call) : 0;
}
