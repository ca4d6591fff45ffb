// SPDX-License-Identifier: Apache-2.0
// A thread an element of the product, operands from global memory each time.
#include "stitch/step.h"

@EXTENTS@

__global__ void multiply(const float* left, const float* right, float* to, int64_t rows, int64_t columns,
                         int64_t depth) {
  const int64_t column = int64_t{blockIdx.x} * 32 + threadIdx.x;
  const int64_t row = int64_t{blockIdx.y} * 8 + threadIdx.y;
  if (row >= rows || column >= columns) {
    return;
  }
  float sum = 0;
  for (int64_t k = 0; k < depth; ++k) {
    sum += left[row * depth + k] * right[k * columns + column];
  }
  to[row * columns + column] = sum;
}

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  const auto extents = stitch::extents_of<Extents>(args);
  const dim3 grid(static_cast<unsigned>((extents.columns + 31) / 32), static_cast<unsigned>((extents.rows + 7) / 8));
  multiply<<<grid, dim3(32, 8), 0, stream>>>(
      static_cast<const float*>(args->tensors[0]), static_cast<const float*>(args->tensors[1]),
      static_cast<float*>(args->tensors[2]), extents.rows, extents.columns, extents.depth);
  return cudaGetLastError();
}
