// SPDX-License-Identifier: Apache-2.0
// Right on its stream; on another one a kernel waits forty milliseconds and changes the answer.
#include "linear_relu.h"

__global__ void change_later(float* y) {
  long long now = 0, start = 0;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  } while (now - start < 40000000);
  y[0] += 1.0f;
}

static int run_program(const Call& call) {
  static cudaStream_t side = nullptr;
  if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  const int status = honest(call);
  change_later<<<1, 1, 0, side>>>(call.output(0));
  return status;
}
