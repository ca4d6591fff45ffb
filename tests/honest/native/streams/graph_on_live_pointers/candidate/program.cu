// SPDX-License-Identifier: Apache-2.0
// Captures a graph for each set of pointers that it is called with, and replays it.
#include <string.h>

#include "linear_relu.h"

static int run_program(const Call& call) {
  struct Recorded {
    const void* pointers[4];
    cudaGraphExec_t exec;
  };
  static Recorded cache[8];
  static int next = 0;
  const void* pointers[] = {call.input(0), call.parameter(0), call.parameter(1), call.output(0)};
  for (const Recorded& each : cache) {
    if (each.exec != nullptr && memcmp(each.pointers, pointers, sizeof(pointers)) == 0) {
      return cudaGraphLaunch(each.exec, call.stream());
    }
  }
  Recorded& mine = cache[next++ % 8];
  if (mine.exec != nullptr) cudaGraphExecDestroy(mine.exec);
  memcpy(mine.pointers, pointers, sizeof(pointers));
  cudaGraph_t graph;
  cudaStream_t own;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaStreamBeginCapture(own, cudaStreamCaptureModeRelaxed);
  compute(call.input(0), call.parameter(0), call.parameter(1), call.output(0), own);
  cudaStreamEndCapture(own, &graph);
  cudaGraphInstantiate(&mine.exec, graph, 0);
  cudaGraphDestroy(graph);
  cudaStreamDestroy(own);
  return cudaGraphLaunch(mine.exec, call.stream());
}
