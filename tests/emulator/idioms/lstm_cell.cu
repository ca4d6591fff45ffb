// SPDX-License-Identifier: Apache-2.0
// A fused LSTM cell stepped by the host: four gates a thread, hidden state in shared memory, fast intrinsics.
#include "check.h"

__device__ __forceinline__ float sigmoid(float x) { return __fdividef(1.0f, 1.0f + __expf(-x)); }

__global__ void step(const float* gates_in, const float* weights, const float* hidden, float* next_hidden, float* cell,
                     int size) {
  extern __shared__ float state[];
  for (int i = threadIdx.x; i < size; i += blockDim.x) state[i] = hidden[blockIdx.x * size + i];
  __syncthreads();
  for (int unit = threadIdx.x; unit < size; unit += blockDim.x) {
    float gate[4];
#pragma unroll
    for (int g = 0; g < 4; ++g) {
      gate[g] = gates_in[(blockIdx.x * 4 + g) * size + unit];
      for (int i = 0; i < size; ++i) gate[g] += weights[(g * size + unit) * size + i] * state[i];
    }
    const int at = blockIdx.x * size + unit;
    const float c = sigmoid(gate[1]) * cell[at] + sigmoid(gate[0]) * tanhf(gate[2]);
    cell[at] = c;
    next_hidden[at] = sigmoid(gate[3]) * tanhf(c);
  }
}

int main() {
  const int batch = 2, size = 24, steps = 5;
  const std::vector<float> inputs = ramp(steps * batch * 4 * size), weights = ramp(4 * size * size, 0.002f, -0.2f);
  DeviceArray<float> x(inputs), w(weights), h0(std::vector<float>(batch * size, 0.0f)), h1(batch * size);
  DeviceArray<float> c(std::vector<float>(batch * size, 0.0f));
  float *from = h0.data, *to = h1.data;
  std::vector<double> hidden(batch * size, 0.0), cell(batch * size, 0.0);
  auto logistic = [](double v) { return 1.0 / (1.0 + std::exp(-v)); };
  for (int t = 0; t < steps; ++t) {
    step<<<batch, 16, size * sizeof(float)>>>(x.data + t * batch * 4 * size, w.data, from, to, c.data, size);
    std::swap(from, to);
    const std::vector<double> before = hidden;
    for (int i = 0; i < batch * size; ++i) {
      double gate[4];
      for (int g = 0; g < 4; ++g) {
        gate[g] = inputs[t * batch * 4 * size + (i / size * 4 + g) * size + i % size];
        for (int j = 0; j < size; ++j)
          gate[g] += double(weights[(g * size + i % size) * size + j]) * before[i / size * size + j];
      }
      cell[i] = logistic(gate[1]) * cell[i] + logistic(gate[0]) * std::tanh(gate[2]);
      hidden[i] = logistic(gate[3]) * std::tanh(cell[i]);
    }
  }
  expect_near(steps % 2 ? h1.get() : h0.get(), hidden, 1e-5, "hidden");
  expect_near(c.get(), cell, 1e-5, "cell");
  return pass();
}
