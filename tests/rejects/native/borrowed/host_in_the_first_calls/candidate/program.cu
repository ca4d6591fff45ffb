// SPDX-License-Identifier: Apache-2.0
// Computes on the host in the first fifteen calls, by its kernel afterwards.
#include "on_the_host.h"

static int run_program(const Call& call) {
  static int calls = 0;
  return ++calls <= 15 ? by_host(call) : honest(call);
}
