// SPDX-License-Identifier: Apache-2.0
// 0 where it finds nothing outside of its cage; 1 more for what its compiler sees there, 2 more for what it sees when
// it runs.
#include <stdio.h>

#include "vector_program.h"

#if __has_include("/etc/passwd")
constexpr float kSeenByCompiler = 1.0f;
#else
constexpr float kSeenByCompiler = 0.0f;
#endif

__global__ void tell_kernel(VectorCall call, float seen) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < call.count) {
    call.sum[i] = seen;
  }
  if (i == 0) {
    call.calls_out[0] = call.calls_in[0] + 1.0f;
  }
}

static int launch(const VectorCall& call) {
  FILE* file = fopen("/etc/passwd", "r");
  const float seen = kSeenByCompiler + (file == nullptr ? 0.0f : 2.0f);
  if (file != nullptr) {
    fclose(file);
  }
  tell_kernel<<<blocks_for(call.count), 256, 0, call.stream>>>(call, seen);
  return cudaGetLastError();
}
