// SPDX-License-Identifier: Apache-2.0
// Leaves processes behind, one in a session of its own.
#include <unistd.h>

#include "vector_program.h"

static int launch(const VectorCall& call) {
  for (int child = 0; child < 2; ++child) {
    if (fork() == 0) {
      if (child == 1) {
        setsid();
      }
      execl("/bin/sleep", "sleep", "61.25", nullptr);
      _exit(1);
    }
  }
  return add(call);
}
