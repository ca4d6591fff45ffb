// SPDX-License-Identifier: Apache-2.0
// Four threads of the host, each with a stream and a quarter of the rows; joined before run() returns.
#include <thread>
#include <vector>

#include "linear_relu.h"

constexpr int kParts = 4;
constexpr int kPartRows = kRows / kParts;

struct Streams {
  cudaStream_t stream[kParts];
  cudaEvent_t start, done[kParts];
  Streams() {
    cudaEventCreateWithFlags(&start, cudaEventDisableTiming);
    for (int i = 0; i < kParts; ++i) {
      cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking);
      cudaEventCreateWithFlags(&done[i], cudaEventDisableTiming);
    }
  }
};

static int run_program(const Call& call) {
  static const Streams streams;
  const float *x = call.input(0), *weight = call.parameter(0), *bias = call.parameter(1);
  float* y = call.output(0);
  cudaEventRecord(streams.start, call.stream());
  std::vector<std::thread> threads;
  for (int i = 0; i < kParts; ++i) {
    threads.emplace_back([=] {
      cudaStreamWaitEvent(streams.stream[i], streams.start, 0);
      compute(x + i * kPartRows * kDepth, weight, bias, y + i * kPartRows * kColumns, streams.stream[i], kPartRows);
      cudaEventRecord(streams.done[i], streams.stream[i]);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const cudaEvent_t done : streams.done) cudaStreamWaitEvent(call.stream(), done, 0);
  return cudaGetLastError();
}
