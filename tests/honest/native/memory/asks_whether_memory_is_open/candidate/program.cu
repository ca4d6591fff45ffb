// SPDX-License-Identifier: Apache-2.0
// Asks the system whether it can read the input, and takes smaller blocks where it can.
#include <errno.h>
#include <unistd.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  errno = 0;
  access(reinterpret_cast<const char*>(call.input(0)), F_OK);
  const int threads = errno == EFAULT ? 256 : 64;
  linear_relu<<<blocks_for(kOutputs, threads), threads, 0, call.stream()>>>(call.input(0), call.parameter(0),
                                                                            call.parameter(1), call.output(0), kRows);
  return cudaGetLastError();
}
