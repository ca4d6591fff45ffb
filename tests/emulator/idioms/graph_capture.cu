// SPDX-License-Identifier: Apache-2.0
// A captured graph replays kernels with the arguments they were captured with, across a forked stream; what a capture
// forbids is an error.
#include "check.h"

__global__ void add(float* x, float value, int n) {
  const int i = threadIdx.x;
  if (i < n) x[i] += value;
}
__global__ void combine(float* out, const float* a, const float* b) {
  out[threadIdx.x] = a[threadIdx.x] * 10 + b[threadIdx.x];
}

int main() {
  const int n = 64;
  DeviceArray<float> a(std::vector<float>(n, 1)), b(std::vector<float>(n, 2)), c(std::vector<float>(n, 0));
  cudaStream_t stream, side;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));

  float step = 5;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  add<<<1, n, 0, stream>>>(a.data, step, n);
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(side, fork, 0));
  add<<<1, n, 0, side>>>(b.data, 1.0f, n);
  CHECK(cudaEventRecord(join, side));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  combine<<<1, n, 0, stream>>>(c.data, a.data, b.data);
  step = 100;  // the capture holds the 5 it was given
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(side, &status));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  expect_equal(std::vector<int>{status == cudaStreamCaptureStatusActive}, std::vector<int>{1}, "capturing");
  expect_equal(c.get(), std::vector<float>(n, 0), "nothing ran");

  cudaGraphExec_t executable;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  CHECK(cudaGraphDestroy(graph));
  for (int i = 0; i < 3; ++i) CHECK(cudaGraphLaunch(executable, stream));
  CHECK(cudaStreamSynchronize(stream));
  expect_equal(c.get(), std::vector<float>(n, (1 + 15) * 10 + 2 + 3), "three replays");

  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  const cudaError_t forbidden = cudaStreamSynchronize(stream);
  const cudaError_t spoilt = cudaStreamEndCapture(stream, &graph);
  cudaGetLastError();
  expect_equal(std::vector<int>{forbidden, spoilt},
               std::vector<int>{cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureInvalidated}, "forbidden");
  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaStreamDestroy(side));
  return pass();
}
