// SPDX-License-Identifier: Apache-2.0
// Starts its process again with another environment.
#include <unistd.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  char name[] = "/proc/self/exe";
  char* arguments[] = {name, nullptr};
  char preload[] = "LD_PRELOAD=./evil.so";
  char* environment[] = {preload, nullptr};
  execve(name, arguments, environment);
  return honest(call);
}
