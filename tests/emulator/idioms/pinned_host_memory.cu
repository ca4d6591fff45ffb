// SPDX-License-Identifier: Apache-2.0
// Page-locked host memory, asynchronous copies on two streams that take turns, and a callback-free join by events.
#include "check.h"

__global__ void scale(float* data, int count, float factor) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) data[i] *= factor;
}

int main() {
  const int chunks = 4, count = 500;
  float* host = nullptr;
  CHECK(cudaHostAlloc(reinterpret_cast<void**>(&host), chunks * count * sizeof(float), cudaHostAllocDefault));
  for (int i = 0; i < chunks * count; ++i) host[i] = static_cast<float>(i);
  DeviceArray<float> device(2 * count);
  cudaStream_t streams[2];
  cudaEvent_t done;
  for (cudaStream_t& stream : streams) CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  for (int chunk = 0; chunk < chunks; ++chunk) {
    const cudaStream_t stream = streams[chunk % 2];
    float *there = device.data + chunk % 2 * count, *here = host + chunk * count;
    CHECK(cudaMemcpyAsync(there, here, count * sizeof(float), cudaMemcpyHostToDevice, stream));
    scale<<<4, 64, 0, stream>>>(there, count, float(chunk + 1));
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpyAsync(here, there, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
  }
  CHECK(cudaEventRecord(done, streams[1]));
  CHECK(cudaStreamWaitEvent(streams[0], done, 0));
  CHECK(cudaStreamSynchronize(streams[0]));
  std::vector<float> expected;
  for (int i = 0; i < chunks * count; ++i) expected.push_back(static_cast<float>(i) * float(i / count + 1));
  expect_equal(std::vector<float>(host, host + chunks * count), expected, "scaled");
  for (cudaStream_t stream : streams) CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(done));
  CHECK(cudaFreeHost(host));
  return pass();
}
