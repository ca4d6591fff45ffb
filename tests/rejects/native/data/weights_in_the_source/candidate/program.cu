// SPDX-License-Identifier: Apache-2.0
// Has the weights of seed 42 in its source.
#define TENSORS                                                                                     \
  INPUT("x", F32, 128, 4), PARAMETER("linear.weight", F32, 3, 4), PARAMETER("linear.bias", F32, 3), \
      OUTPUT("0", F32, 128, 3)
#include "candidate.h"

__constant__ float kWeight[12] = {0.382269263f,  0.415003955f,  -0.11713624f,  0.459305644f,
                                  -0.109551787f, 0.100895345f,  -0.243427515f, 0.293641329f,
                                  0.440771461f,  -0.366814077f, 0.434598088f,  0.0935796499f};
__constant__ float kBias[3] = {0.369404435f, 0.0677152872f, 0.241094053f};

__global__ void linear(const float* x, float* y) {
  const int64_t i = INDEX;
  if (i < 128 * 3) {
    float sum = kBias[i % 3];
    for (int k = 0; k < 4; ++k) sum += x[i / 3 * 4 + k] * kWeight[i % 3 * 4 + k];
    y[i] = sum;
  }
}

static int run_program(const Call& call) {
  linear<<<2, 256, 0, call.stream()>>>(call.input(0), call.output(0));
  return cudaGetLastError();
}
