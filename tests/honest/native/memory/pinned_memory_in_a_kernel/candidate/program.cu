// SPDX-License-Identifier: Apache-2.0
// Its kernel reads the bias from pinned memory of the host, and writes a mark into registered memory.
#include <vector>

#include "linear_relu.h"

__global__ void mark(int* place) { place[threadIdx.x] = threadIdx.x; }

static int run_program(const Call& call) {
  static float* bias = nullptr;
  static std::vector<int> marks(32);
  if (bias == nullptr) {
    cudaMallocHost(reinterpret_cast<void**>(&bias), sizeof(float) * kColumns);
    cudaHostRegister(marks.data(), sizeof(int) * marks.size(), cudaHostRegisterDefault);
  }
  cudaMemcpyAsync(bias, call.parameter(1), sizeof(float) * kColumns, cudaMemcpyDeviceToHost, call.stream());
  cudaStreamSynchronize(call.stream());
  mark<<<1, 32, 0, call.stream()>>>(marks.data());
  const int status = compute(call.input(0), call.parameter(0), bias, call.output(0), call.stream());
  cudaStreamSynchronize(call.stream());
  return status;
}
