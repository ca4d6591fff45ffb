// SPDX-License-Identifier: Apache-2.0
// Writes into every descriptor it can find, the supervisor's channel among them.
#include <unistd.h>

#include "vector_program.h"

static int launch(const VectorCall& call) {
  char garbage[256];
  for (int i = 0; i < 256; ++i) {
    garbage[i] = static_cast<char>(i * 37);
  }
  for (int descriptor = 3; descriptor < 2048; ++descriptor) {
    if (write(descriptor, garbage, sizeof(garbage)) < 0) {
      continue;
    }
  }
  return add(call);
}
