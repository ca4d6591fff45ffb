// SPDX-License-Identifier: Apache-2.0
// Works on a stream of high priority that it joins.
#include "linear_relu.h"

static int run_program(const Call& call) {
  static cudaStream_t side = nullptr;
  static cudaEvent_t event;
  if (side == nullptr) {
    int least = 0, greatest = 0;
    cudaDeviceGetStreamPriorityRange(&least, &greatest);
    cudaStreamCreateWithPriority(&side, cudaStreamNonBlocking, greatest);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  cudaEventRecord(event, call.stream());
  cudaStreamWaitEvent(side, event, 0);
  compute(call.input(0), call.parameter(0), call.parameter(1), call.output(0), side);
  cudaEventRecord(event, side);
  return cudaStreamWaitEvent(call.stream(), event, 0);
}
