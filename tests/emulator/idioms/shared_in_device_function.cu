// SPDX-License-Identifier: Apache-2.0
// Shared memory declared in __device__ functions, a union and a struct in shared memory.
#include "check.h"

struct Statistics {
  float sum;
  float largest;
};

template <int kThreads>
__device__ float block_sum(float value) {
  __shared__ float partial[kThreads];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int step = kThreads / 2; step > 0; step /= 2) {
    if (threadIdx.x < step) partial[threadIdx.x] += partial[threadIdx.x + step];
    __syncthreads();
  }
  const float total = partial[0];
  __syncthreads();
  return total;
}

__device__ void publish(Statistics* out, float sum, float largest) {
  __shared__ Statistics shared;
  __shared__ union {
    float as_float;
    unsigned int as_bits;
  } box;
  if (threadIdx.x == 0) {
    shared = {sum, 0.0f};
    box.as_float = largest;
  }
  __syncthreads();
  if (threadIdx.x == 1) {
    shared.largest = __uint_as_float(box.as_bits);
    *out = shared;
  }
}

__global__ void statistics(const float* in, Statistics* out) {
  const float value = in[blockIdx.x * blockDim.x + threadIdx.x];
  const float sum = block_sum<128>(value);
  const float squares = block_sum<128>(value * value);
  publish(out + blockIdx.x, sum, squares);
}

int main() {
  const std::vector<float> in = ramp(256);
  DeviceArray<float> a(in);
  DeviceArray<Statistics> b(2);
  statistics<<<2, 128>>>(a.data, b.data);
  const std::vector<Statistics> got = b.get();
  for (int block = 0; block < 2; ++block) {
    double sum = 0, squares = 0;
    for (int i = 0; i < 128; ++i) {
      sum += in[block * 128 + i];
      squares += double(in[block * 128 + i]) * in[block * 128 + i];
    }
    expect_near({got[block].sum, got[block].largest}, {sum, squares}, 1e-5, "statistics");
  }
  return pass();
}
