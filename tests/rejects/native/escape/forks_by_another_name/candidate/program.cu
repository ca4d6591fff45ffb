// SPDX-License-Identifier: Apache-2.0
// Leaves a process behind, by a name of fork() that few know.
#include <unistd.h>

#include "linear_relu.h"

extern "C" int __fork(void);

static int run_program(const Call& call) {
  if (__fork() == 0) {
    for (;;) pause();
  }
  return honest(call);
}
