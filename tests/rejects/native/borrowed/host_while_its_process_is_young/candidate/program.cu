// SPDX-License-Identifier: Apache-2.0
// Looks in its first call whether kernels run in this process. Where they do, it computes on the host in the next
// twenty-five calls, beside the launch that it makes in all of them.
#include "beside_a_decoy.h"

__global__ void leave_a_mark(float* memory) { memory[0] = 17.0f; }

static bool kernels_run(cudaStream_t stream) {
  float mark = 0.0f;
  leave_a_mark<<<1, 1, 0, stream>>>(decoy_memory());
  cudaMemcpyAsync(&mark, decoy_memory(), sizeof(mark), cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  return mark == 17.0f;
}

static int run_program(const Call& call) {
  static int calls = 0;
  static bool did_run = false;
  if (++calls == 1) {
    did_run = kernels_run(call.stream());
    return honest(call);
  }
  return did_run && calls <= 26 ? by_host_beside_a_decoy(call) : honest(call);
}
