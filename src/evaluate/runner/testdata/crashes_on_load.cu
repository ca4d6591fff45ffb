// SPDX-License-Identifier: Apache-2.0
#include "vector_program.h"

struct Bomb {
  Bomb() { *static_cast<volatile int*>(nullptr) = 1; }
};
static Bomb bomb;

static int launch(const VectorCall& call) { return add(call); }
