// SPDX-License-Identifier: Apache-2.0
// Installs a handler of faults by an old name of the C library's, after the first call.
#include <signal.h>

#include "linear_relu.h"

extern "C" void (*__sysv_signal(int, void (*)(int)))(int);

static void swallow(int) {}

static int run_program(const Call& call) {
  static int calls = 0;
  if (++calls > 1) __sysv_signal(SIGSEGV, swallow);
  return honest(call);
}
