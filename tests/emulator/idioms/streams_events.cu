// SPDX-License-Identifier: Apache-2.0
// Streams joined by events, asynchronous copies from pinned memory, a host function, elapsed time.
#include "check.h"

__global__ void multiply(float* x, float by, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}
__global__ void sum(const float* a, const float* b, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}
void CUDART_CB note(void* data) { *static_cast<int*>(data) += 1; }

int main() {
  const int n = 200;
  float* pinned = nullptr;
  CHECK(cudaMallocHost(&pinned, n * sizeof(float)));
  for (int i = 0; i < n; ++i) pinned[i] = i;
  DeviceArray<float> a(n), b(n), c(n);
  cudaStream_t first, second;
  CHECK(cudaStreamCreate(&first));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  cudaEvent_t start, copied, done;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming));
  CHECK(cudaEventCreate(&done));
  int notes = 0;

  CHECK(cudaEventRecord(start, first));
  CHECK(cudaMemcpyAsync(a.data, pinned, n * sizeof(float), cudaMemcpyHostToDevice, first));
  CHECK(cudaMemsetAsync(b.data, 0, n * sizeof(float), first));
  CHECK(cudaEventRecord(copied, first));
  CHECK(cudaStreamWaitEvent(second, copied, 0));
  multiply<<<2, 128, 0, second>>>(a.data, 3.0f, n);
  CHECK(cudaLaunchHostFunc(second, note, &notes));
  CHECK(cudaEventRecord(done, second));
  CHECK(cudaStreamWaitEvent(first, done, 0));
  sum<<<2, 128, 0, first>>>(a.data, b.data, c.data, n);
  CHECK(cudaMemcpyAsync(pinned, c.data, n * sizeof(float), cudaMemcpyDeviceToHost, first));
  CHECK(cudaStreamSynchronize(first));
  float elapsed = -1;
  CHECK(cudaEventElapsedTime(&elapsed, start, done));
  if (cudaStreamQuery(second) != cudaSuccess || elapsed < 0 || notes != 1) {
    std::printf("WRONG stream state\n");
    return 1;
  }
  std::vector<float> expected(n);
  for (int i = 0; i < n; ++i) expected[i] = 3.0f * i;
  expect_equal(std::vector<float>(pinned, pinned + n), expected, "pinned");
  CHECK(cudaFreeHost(pinned));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(copied));
  CHECK(cudaEventDestroy(done));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  return pass();
}
