// SPDX-License-Identifier: Apache-2.0
// As a library does that plans when it is first called: what it does then cannot be captured into a graph.
#include "vector_program.h"

static int launch(const VectorCall& call) {
  static bool has_planned = false;
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  const cudaError_t asked = cudaStreamIsCapturing(call.stream, &status);
  if (asked != cudaSuccess || (!has_planned && status != cudaStreamCaptureStatusNone)) {
    return cudaErrorStreamCaptureUnsupported;
  }
  has_planned = true;
  return add(call);
}
