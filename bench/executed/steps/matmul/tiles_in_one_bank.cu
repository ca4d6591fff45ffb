// SPDX-License-Identifier: Apache-2.0
// Tiles of 32 in shared memory, the right one by columns: the lanes of a warp want 32 words of one bank.
#include "stitch/step.h"

@EXTENTS@

constexpr int kEdge = 32;

__global__ void multiply(const float* left, const float* right, float* to, int64_t rows, int64_t columns,
                         int64_t depth) {
  __shared__ float a[kEdge][kEdge];
  __shared__ float b[kEdge][kEdge];
  const unsigned x = threadIdx.x;
  const unsigned y = threadIdx.y;
  const int64_t column = int64_t{blockIdx.x} * kEdge + x;
  const int64_t row = int64_t{blockIdx.y} * kEdge + y;
  float sum = 0;
  for (int64_t start = 0; start < depth; start += kEdge) {
    a[y][x] = row < rows && start + x < depth ? left[row * depth + start + x] : 0.0F;
    b[x][y] = column < columns && start + y < depth ? right[(start + y) * columns + column] : 0.0F;
    __syncthreads();
    for (int k = 0; k < kEdge; ++k) {
      sum += a[y][k] * b[x][k];
    }
    __syncthreads();
  }
  if (row < rows && column < columns) {
    to[row * columns + column] = sum;
  }
}

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  const auto extents = stitch::extents_of<Extents>(args);
  const dim3 grid(static_cast<unsigned>((extents.columns + kEdge - 1) / kEdge),
                  static_cast<unsigned>((extents.rows + kEdge - 1) / kEdge));
  multiply<<<grid, dim3(kEdge, kEdge), 0, stream>>>(
      static_cast<const float*>(args->tensors[0]), static_cast<const float*>(args->tensors[1]),
      static_cast<float*>(args->tensors[2]), extents.rows, extents.columns, extents.depth);
  return cudaGetLastError();
}
