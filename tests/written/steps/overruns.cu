// SPDX-License-Identifier: Apache-2.0
// Writes one element further than the result has.
#include "stitch/step.h"

namespace {

enum Tensor {
  kX,
  kWeight,
  kBias,
  kRelu,
};

// Of x, the weight, the bias and the result in turn.
struct Extents {
  int64_t rows;
  int64_t depth;
  int64_t columns;
  int64_t others[4];
};

__global__ void multiply(const float* x, const float* weight, const float* bias, float* relu, Extents extents) {
  const int64_t row = blockIdx.x;
  for (int64_t column = threadIdx.x; column < extents.columns; column += blockDim.x) {
    float sum = bias[column];
    for (int64_t k = 0; k < extents.depth; ++k) {
      sum += x[row * extents.depth + k] * weight[column * extents.depth + k];
    }
    relu[row * extents.columns + column + 1] = fmaxf(sum, 0.0f);
  }
}

}  // namespace

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  const auto extents = stitch::extents_of<Extents>(args);
  multiply<<<extents.rows, 64, 0, stream>>>(
      static_cast<const float*>(args->tensors[kX]), static_cast<const float*>(args->tensors[kWeight]),
      static_cast<const float*>(args->tensors[kBias]), static_cast<float*>(args->tensors[kRelu]), extents);
  return cudaGetLastError();
}
