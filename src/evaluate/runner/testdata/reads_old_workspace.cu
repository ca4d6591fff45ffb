// SPDX-License-Identifier: Apache-2.0
// Leaves a mark in the workspace, and is wrong where it finds it in the next call: in its fifth to eighth call, of
// which each is a burst of its own.
#include "vector_program.h"

static int launch(const VectorCall& call) {
  static int calls = 0;
  constexpr unsigned kMark = 0xabcdef01u;
  unsigned found = 0;
  cudaStreamSynchronize(call.stream);
  cudaMemcpy(&found, call.workspace, sizeof(found), cudaMemcpyDeviceToHost);
  const int failed = add(call);
  cudaMemcpy(call.workspace, &kMark, sizeof(kMark), cudaMemcpyHostToDevice);
  ++calls;
  return found == kMark && calls >= 5 && calls <= 8 ? cudaMemset(call.sum, 0x40, sizeof(float)) : failed;
}
