// SPDX-License-Identifier: Apache-2.0
// Adds what it adds in an order that differs from call to call, as atomics do: right, but to other last bits.
#include "vector_program.h"

__global__ void nudge_kernel(VectorCall call, float nudge) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < call.count) {
    call.sum[i] = (call.sum[i] + nudge) - nudge;
  }
}

static int launch(const VectorCall& call) {
  static int calls = 0;
  const int failed = add(call);
  nudge_kernel<<<blocks_for(call.count), 256, 0, call.stream>>>(call, static_cast<float>(++calls % 5) + 0.3f);
  return failed;
}
