// SPDX-License-Identifier: Apache-2.0
#include "vector_program.h"

struct Bomb {
  Bomb() {
    volatile int* volatile nothing = nullptr;
    *nothing = 1;
  }
};
static Bomb bomb;

static int launch(const VectorCall& call) { return add(call); }
