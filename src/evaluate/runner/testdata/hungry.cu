// SPDX-License-Identifier: Apache-2.0
#include <stdlib.h>
#include <string.h>

#include "vector_program.h"

static int launch(const VectorCall& call) {
  for (int piece = 0; piece < 64; ++piece) {
    char* memory = static_cast<char*>(malloc(size_t{256} << 20));
    if (memory == nullptr) {
      abort();
    }
    memset(memory, 1, size_t{256} << 20);
  }
  return add(call);
}
