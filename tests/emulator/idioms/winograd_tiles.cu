// SPDX-License-Identifier: Apache-2.0
// Winograd F(2x2, 3x3): small fixed matrices in registers, transforms as device functions over references to arrays.
#include "check.h"

__device__ void transform_input(const float (&d)[4][4], float (&v)[4][4]) {
  float t[4][4];
  for (int j = 0; j < 4; ++j) {
    t[0][j] = d[0][j] - d[2][j], t[1][j] = d[1][j] + d[2][j];
    t[2][j] = d[2][j] - d[1][j], t[3][j] = d[1][j] - d[3][j];
  }
  for (int i = 0; i < 4; ++i) {
    v[i][0] = t[i][0] - t[i][2], v[i][1] = t[i][1] + t[i][2];
    v[i][2] = t[i][2] - t[i][1], v[i][3] = t[i][1] - t[i][3];
  }
}

__device__ void transform_weight(const float* g, float (&u)[4][4]) {
  float t[4][3];
  for (int j = 0; j < 3; ++j) {
    t[0][j] = g[j], t[3][j] = g[6 + j];
    t[1][j] = 0.5f * (g[j] + g[3 + j] + g[6 + j]), t[2][j] = 0.5f * (g[j] - g[3 + j] + g[6 + j]);
  }
  for (int i = 0; i < 4; ++i) {
    u[i][0] = t[i][0], u[i][3] = t[i][2];
    u[i][1] = 0.5f * (t[i][0] + t[i][1] + t[i][2]), u[i][2] = 0.5f * (t[i][0] - t[i][1] + t[i][2]);
  }
}

__global__ void convolve(const float* in, const float* weight, float* out, int channels, int side) {
  const int across = (side - 2) / 2, tile = blockIdx.x * blockDim.x + threadIdx.x;
  if (tile >= across * across) return;
  const int y = tile / across * 2, x = tile % across * 2;
  float sums[4][4] = {};
  for (int channel = 0; channel < channels; ++channel) {
    float d[4][4], v[4][4], u[4][4];
    for (int i = 0; i < 16; ++i) d[i / 4][i % 4] = in[(channel * side + y + i / 4) * side + x + i % 4];
    transform_input(d, v);
    transform_weight(weight + channel * 9, u);
    for (int i = 0; i < 16; ++i) sums[i / 4][i % 4] += u[i / 4][i % 4] * v[i / 4][i % 4];
  }
  for (int i = 0; i < 2; ++i) {
    float row[4];
    for (int j = 0; j < 4; ++j)
      row[j] = i ? sums[1][j] - sums[2][j] - sums[3][j] : sums[0][j] + sums[1][j] + sums[2][j];
    out[(y + i) * (side - 2) + x] = row[0] + row[1] + row[2];
    out[(y + i) * (side - 2) + x + 1] = row[1] - row[2] - row[3];
  }
}

int main() {
  const int channels = 3, side = 14, result = side - 2;
  const std::vector<float> in = ramp(channels * side * side), weight = ramp(channels * 9, 0.1f);
  DeviceArray<float> a(in), w(weight), b(result * result);
  convolve<<<2, 32>>>(a.data, w.data, b.data, channels, side);
  std::vector<double> expected(result * result, 0.0);
  for (int i = 0; i < result * result; ++i)
    for (int c = 0; c < channels; ++c)
      for (int k = 0; k < 9; ++k)
        expected[i] += double(weight[c * 9 + k]) * in[(c * side + i / result + k / 3) * side + i % result + k % 3];
  expect_near(b.get(), expected, 1e-4, "convolved");
  return pass();
}
