// SPDX-License-Identifier: Apache-2.0
// Keeps something from one call to the next where only prepare() may write.
#include "vector_program.h"

__global__ void spoil_kernel(float* doubled_scale) { doubled_scale[7] += 1.0f; }

static int launch(const VectorCall& call) {
  const int status = add(call);
  spoil_kernel<<<1, 1, 0, call.stream>>>(const_cast<float*>(call.doubled_scale));
  return status;
}
