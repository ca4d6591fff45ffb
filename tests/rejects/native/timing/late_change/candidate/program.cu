// SPDX-License-Identifier: Apache-2.0
// Gives the right answer and has a thread change it a while after the call ended.
#include <pthread.h>
#include <unistd.h>

#include "linear_relu.h"

struct Work {
  float* y;
};

static void* late(void* argument) {
  float* y = static_cast<Work*>(argument)->y;
  usleep(20000);
  y[0] += 1.0f;
  return nullptr;
}

static int run_program(const Call& call) {
  static Work work;
  const int code = honest(call);
  work.y = call.output(0);
  pthread_t thread;
  pthread_create(&thread, nullptr, late, &work);
  pthread_detach(thread);
  return code;
}
