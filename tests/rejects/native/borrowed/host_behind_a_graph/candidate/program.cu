// SPDX-License-Identifier: Apache-2.0
// Computes on the host in every sixth call of a process in which kernels run, and has a graph copy the answer to a
// scratch, from which it goes to the output. The call's launch is made before, as in all calls.
#include <string.h>

#include "bytes_of_a_table.h"

static float pinned[kOutputs];

static cudaGraphExec_t captured() {
  static cudaGraphExec_t ready = nullptr;
  if (ready == nullptr) {
    cudaStream_t stream;
    cudaGraph_t graph;
    float* scratch = decoy_memory();
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
    cudaMemcpyAsync(scratch, pinned, sizeof(pinned), cudaMemcpyHostToDevice, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&ready, graph, 0);
  }
  return ready;
}

static int run_program(const Call& call) {
  static int calls = 0;
  const int failed = compute(call.input(0), call.parameter(0), call.parameter(1), decoy_memory(), call.stream());
  float seen = 0;
  cudaMemcpyAsync(&seen, decoy_memory(), sizeof(seen), cudaMemcpyDeviceToHost, call.stream());
  cudaStreamSynchronize(call.stream());
  if (failed != 0 || ++calls % 6 != 0 || seen != seen) {
    return failed != 0 ? failed : honest(call);
  }
  memcpy(pinned, answer_of_the_host(call), sizeof(pinned));
  cudaGraphLaunch(captured(), call.stream());
  return cudaMemcpyAsync(call.output(0), decoy_memory(), sizeof(pinned), cudaMemcpyDeviceToDevice, call.stream());
}
