// SPDX-License-Identifier: Apache-2.0
// An iteration between two buffers with a residual by __syncthreads_or and a device-side counter read by symbol.
#include "check.h"

__device__ int moved_blocks;

__global__ void jacobi(const float* in, float* out, int side, float threshold) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  bool moved = false;
  if (x < side && y < side) {
    float value = in[y * side + x];
    if (x > 0 && y > 0 && x + 1 < side && y + 1 < side) {
      const float next =
          0.25f * (in[y * side + x - 1] + in[y * side + x + 1] + in[(y - 1) * side + x] + in[(y + 1) * side + x]);
      moved = fabsf(next - value) > threshold;
      value = next;
    }
    out[y * side + x] = value;
  }
  if (__syncthreads_or(moved) && threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(&moved_blocks, 1);
}

int main() {
  const int side = 20;
  std::vector<float> field(side * side, 0.0f);
  for (int i = 0; i < side; ++i) field[i] = 1.0f;
  DeviceArray<float> a(field), b(field);
  float *from = a.data, *to = b.data;
  int rounds = 0;
  for (int moved = 1; moved > 0 && rounds < 400; ++rounds) {
    const int zero = 0;
    CHECK(cudaMemcpyToSymbol(moved_blocks, &zero, sizeof(int)));
    jacobi<<<dim3(3, 3), dim3(8, 8)>>>(from, to, side, 1e-3f);
    CHECK(cudaMemcpyFromSymbol(&moved, moved_blocks, sizeof(int)));
    std::swap(from, to);
  }
  std::vector<float> expected = field, next = field;
  for (int round = 0; round < rounds; ++round, std::swap(expected, next))
    for (int y = 1; y + 1 < side; ++y)
      for (int x = 1; x + 1 < side; ++x)
        next[y * side + x] = 0.25f * (expected[y * side + x - 1] + expected[y * side + x + 1] +
                                      expected[(y - 1) * side + x] + expected[(y + 1) * side + x]);
  expect_near(rounds % 2 ? b.get() : a.get(), std::vector<double>(expected.begin(), expected.end()), 1e-5, "field");
  return rounds > 10 && rounds < 400 ? pass() : (std::printf("WRONG %d rounds\n", rounds), 1);
}
