// SPDX-License-Identifier: Apache-2.0
// Softmax in one pass with running maxima and sums, one warp per row; layer norm with two reductions.
#include "check.h"

__global__ void softmax(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32, lane = threadIdx.x & 31;
  if (row >= rows) return;
  float largest = -INFINITY, sum = 0;
  for (int i = lane; i < columns; i += 32) {
    const float x = in[row * columns + i];
    const float raised = fmaxf(largest, x);
    sum = sum * __expf(largest - raised) + __expf(x - raised);
    largest = raised;
  }
  for (int step = 16; step > 0; step /= 2) {
    const float other = __shfl_xor_sync(0xffffffff, largest, step);
    const float other_sum = __shfl_xor_sync(0xffffffff, sum, step);
    const float raised = fmaxf(largest, other);
    sum = (largest == -INFINITY ? 0.0f : sum * __expf(largest - raised)) +
          (other == -INFINITY ? 0.0f : other_sum * __expf(other - raised));
    largest = raised;
  }
  for (int i = lane; i < columns; i += 32) out[row * columns + i] = __expf(in[row * columns + i] - largest) / sum;
}

template <int kThreads>
__device__ float block_sum(float x, float* scratch) {
  for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffff, x, step);
  __syncthreads();
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = x;
  __syncthreads();
  x = 0;
  for (int w = 0; w < kThreads / 32; ++w) x += scratch[w];
  return x;
}

template <int kThreads>
__global__ void layer_norm(const float* in, float* out, int columns, float epsilon) {
  __shared__ float scratch[kThreads / 32];
  const float* row = in + blockIdx.x * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += row[i];
  const float mean = block_sum<kThreads>(sum, scratch) / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) squares += (row[i] - mean) * (row[i] - mean);
  const float inverse = rsqrtf(block_sum<kThreads>(squares, scratch) / columns + epsilon);
  for (int i = threadIdx.x; i < columns; i += kThreads) out[blockIdx.x * columns + i] = (row[i] - mean) * inverse;
}

int main() {
  const int rows = 10, columns = 77;
  const std::vector<float> in = ramp(rows * columns, 0.05f, -4.0f);
  DeviceArray<float> a(in), b(in.size());
  std::vector<double> probabilities(in.size()), normal(in.size());
  for (int r = 0; r < rows; ++r) {
    double sum = 0, mean = 0, variance = 0;
    for (int i = 0; i < columns; ++i) sum += std::exp(double(in[r * columns + i]));
    for (int i = 0; i < columns; ++i) mean += double(in[r * columns + i]) / columns;
    for (int i = 0; i < columns; ++i) variance += std::pow(in[r * columns + i] - mean, 2) / columns;
    for (int i = 0; i < columns; ++i) {
      probabilities[r * columns + i] = std::exp(double(in[r * columns + i])) / sum;
      normal[r * columns + i] = (in[r * columns + i] - mean) / std::sqrt(variance + 1e-5);
    }
  }
  softmax<<<(rows + 3) / 4, 128>>>(a.data, b.data, rows, columns);
  expect_near(b.get(), probabilities, 1e-5, "softmax");
  layer_norm<64><<<rows, 64>>>(a.data, b.data, columns, 1e-5f);
  expect_near(b.get(), normal, 1e-4, "layer norm");
  return pass();
}
