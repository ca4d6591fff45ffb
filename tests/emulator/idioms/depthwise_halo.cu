// SPDX-License-Identifier: Apache-2.0
// A depthwise 3x3 convolution over a tile with a halo; weights in constant memory.
#include "check.h"

constexpr int kTile = 16, kHalo = 1, kSide = kTile + 2 * kHalo;
__constant__ float weights[8 * 9];

__global__ void depthwise(const float* in, float* out, int height, int width) {
  __shared__ float tile[kSide][kSide];
  const int channel = blockIdx.z;
  const float* image = in + channel * height * width;
  for (int i = threadIdx.y * kTile + threadIdx.x; i < kSide * kSide; i += kTile * kTile) {
    const int y = static_cast<int>(blockIdx.y) * kTile + i / kSide - kHalo;
    const int x = static_cast<int>(blockIdx.x) * kTile + i % kSide - kHalo;
    tile[i / kSide][i % kSide] = y >= 0 && y < height && x >= 0 && x < width ? image[y * width + x] : 0.0f;
  }
  __syncthreads();
  const int y = blockIdx.y * kTile + threadIdx.y, x = blockIdx.x * kTile + threadIdx.x;
  if (y >= height || x >= width) return;
  float sum = 0;
#pragma unroll
  for (int ky = 0; ky < 3; ++ky)
#pragma unroll
    for (int kx = 0; kx < 3; ++kx) sum += weights[channel * 9 + ky * 3 + kx] * tile[threadIdx.y + ky][threadIdx.x + kx];
  out[(channel * height + y) * width + x] = sum;
}

int main() {
  const int channels = 3, height = 21, width = 37;
  const std::vector<float> in = ramp(channels * height * width), kernel = ramp(channels * 9, 0.1f);
  CHECK(cudaMemcpyToSymbol(weights, kernel.data(), kernel.size() * sizeof(float)));
  DeviceArray<float> a(in), b(in.size());
  depthwise<<<dim3((width + kTile - 1) / kTile, (height + kTile - 1) / kTile, channels), dim3(kTile, kTile)>>>(
      a.data, b.data, height, width);
  std::vector<double> expected(in.size(), 0.0);
  for (int c = 0; c < channels; ++c)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int k = 0; k < 9; ++k) {
          const int sy = y + k / 3 - 1, sx = x + k % 3 - 1;
          if (sy >= 0 && sy < height && sx >= 0 && sx < width)
            expected[(c * height + y) * width + x] += kernel[c * 9 + k] * in[(c * height + sy) * width + sx];
        }
  expect_near(b.get(), expected, 1e-5, "depthwise");
  return pass();
}
