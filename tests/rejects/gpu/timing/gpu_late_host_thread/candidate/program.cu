// SPDX-License-Identifier: Apache-2.0
// Right when the call ends; a thread of the host launches a kernel that changes the answer a while later.
#include <pthread.h>
#include <unistd.h>

#include "linear_relu.h"

__global__ void change(float* y) { y[0] += 1.0f; }

static float* target = nullptr;

static void* late(void*) {
  usleep(20000);
  static cudaStream_t side = nullptr;
  if (side == nullptr) cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  change<<<1, 1, 0, side>>>(target);
  return nullptr;
}

static int run_program(const Call& call) {
  target = call.output(0);
  const int status = honest(call);
  pthread_t thread;
  pthread_create(&thread, nullptr, late, nullptr);
  pthread_detach(thread);
  return status;
}
