// SPDX-License-Identifier: Apache-2.0
// Through a tile of shared memory. Columns of a tile lie in one bank: 32 turns a read.
#include "stitch/step.h"

constexpr int kRows = 2048;
constexpr int kColumns = 4096;
constexpr int kEdge = 32;
constexpr int kThreadRows = 8;
constexpr int kPitch = 32;

__global__ void turn(const float* from, float* to) {
  __shared__ float tile[kEdge][kPitch];
  const int column = static_cast<int>(blockIdx.x) * kEdge;
  const int row = static_cast<int>(blockIdx.y) * kEdge;
  const int x = static_cast<int>(threadIdx.x);
  for (int y = static_cast<int>(threadIdx.y); y < kEdge; y += kThreadRows) {
    tile[y][x] = from[(row + y) * kColumns + column + x];
  }
  __syncthreads();
  for (int y = static_cast<int>(threadIdx.y); y < kEdge; y += kThreadRows) {
    to[(column + y) * kRows + row + x] = tile[x][y] + 1.0F;
  }
}

extern "C" int step_00(const StepArgs* args, cudaStream_t stream) {
  turn<<<dim3(kColumns / kEdge, kRows / kEdge), dim3(kEdge, kThreadRows), 0, stream>>>(
      static_cast<const float*>(args->tensors[0]), static_cast<float*>(args->tensors[1]));
  return cudaGetLastError();
}
