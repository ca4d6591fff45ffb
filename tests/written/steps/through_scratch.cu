// SPDX-License-Identifier: Apache-2.0
// The product goes to scratch memory, and from there through ReLU.
#include "stitch/step.h"

namespace {

enum Tensor {
  kX,
  kWeight,
  kBias,
  kRelu,
};

// Of the tensors in turn; an extent that two of them share stands there twice.
struct Extents {
  int64_t rows;
  int64_t depth;
  int64_t columns;
  int64_t weight_depth;
  int64_t bias_columns;
  int64_t relu_rows;
  int64_t relu_columns;
};

struct Operands {
  const float* x;
  const float* weight;
  const float* bias;
};

__global__ void multiply(Operands operands, float* out, Extents extents) {
  const int64_t column = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  const int64_t row = blockIdx.y;
  if (column >= extents.columns) {
    return;
  }
  float sum = 0;
  for (int64_t k = 0; k < extents.depth; ++k) {
    sum += operands.x[row * extents.depth + k] * operands.weight[column * extents.depth + k];
  }
  out[row * extents.columns + column] = sum + operands.bias[column];
}

__global__ void activate(const float* in, float* out, int64_t count) {
  const int64_t at = blockIdx.x * int64_t{blockDim.x} + threadIdx.x;
  if (at < count) {
    out[at] = fmaxf(in[at], 0.0f);
  }
}

}  // namespace

extern "C" int step_07(const StepArgs* args, cudaStream_t stream) {
  constexpr int kThreads = 64;
  const auto extents = stitch::extents_of<Extents>(args);
  const Operands operands{
      .x = static_cast<const float*>(args->tensors[kX]),
      .weight = static_cast<const float*>(args->tensors[kWeight]),
      .bias = static_cast<const float*>(args->tensors[kBias]),
  };
  const int64_t count = extents.rows * extents.columns;
  if (args->scratch_bytes < count * sizeof(float)) {
    return cudaErrorInvalidValue;
  }
  auto* product = static_cast<float*>(args->scratch);
  const dim3 blocks((extents.columns + kThreads - 1) / kThreads, extents.rows);
  multiply<<<blocks, kThreads, 0, stream>>>(operands, product, extents);
  const unsigned flat_blocks = (count + kThreads - 1) / kThreads;
  activate<<<flat_blocks, kThreads, 0, stream>>>(product, static_cast<float*>(args->tensors[kRelu]), count);
  return cudaGetLastError();
}
