// SPDX-License-Identifier: Apache-2.0
// The right answer, on a stream of its own that nobody else knows and that does not rejoin.
#include "vector_program.h"

static int launch(const VectorCall& call) {
  static cudaStream_t own = nullptr;
  if (own == nullptr && cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) != cudaSuccess) {
    return 1;
  }
  cudaStreamSynchronize(call.stream);  // its inputs
  VectorCall elsewhere = call;
  elsewhere.stream = own;
  return add(elsewhere);
}
