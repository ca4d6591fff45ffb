// SPDX-License-Identifier: Apache-2.0
// Two-dimensional blocks with a halo in shared memory, a three-dimensional grid, constant weights.
#include "check.h"

constexpr int kBlock = 16, kRadius = 2;
__constant__ float weights[2 * kRadius + 1][2 * kRadius + 1];

__global__ void convolve(const float* in, float* out, int height, int width) {
  __shared__ float tile[kBlock + 2 * kRadius][kBlock + 2 * kRadius];
  const float* image = in + static_cast<size_t>(blockIdx.z) * height * width;
  const int x0 = blockIdx.x * kBlock - kRadius, y0 = blockIdx.y * kBlock - kRadius;
  for (int y = threadIdx.y; y < kBlock + 2 * kRadius; y += blockDim.y)
    for (int x = threadIdx.x; x < kBlock + 2 * kRadius; x += blockDim.x) {
      const bool inside = y0 + y >= 0 && y0 + y < height && x0 + x >= 0 && x0 + x < width;
      tile[y][x] = inside ? image[(y0 + y) * width + x0 + x] : 0.0f;
    }
  __syncthreads();
  const int x = blockIdx.x * kBlock + threadIdx.x, y = blockIdx.y * kBlock + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int i = 0; i <= 2 * kRadius; ++i)
    for (int j = 0; j <= 2 * kRadius; ++j) sum += weights[i][j] * tile[threadIdx.y + i][threadIdx.x + j];
  out[(static_cast<size_t>(blockIdx.z) * height + y) * width + x] = sum;
}

int main() {
  const int images = 3, height = 37, width = 21;
  const std::vector<float> in = ramp(images * height * width);
  float host[5][5];
  for (int i = 0; i < 25; ++i) host[i / 5][i % 5] = (i * 3 % 7 - 3) * 0.1f;
  CHECK(cudaMemcpyToSymbol(weights, host, sizeof(host)));
  std::vector<double> expected(in.size(), 0.0);
  for (int b = 0; b < images; ++b)
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        for (int i = -2; i <= 2; ++i)
          for (int j = -2; j <= 2; ++j)
            if (y + i >= 0 && y + i < height && x + j >= 0 && x + j < width)
              expected[(b * height + y) * width + x] +=
                  double(host[i + 2][j + 2]) * in[(b * height + y + i) * width + x + j];
  DeviceArray<float> a(in), c(in.size());
  const dim3 grid((width + kBlock - 1) / kBlock, (height + kBlock - 1) / kBlock, images);
  convolve<<<grid, dim3(kBlock, kBlock)>>>(a.data, c.data, height, width);
  expect_near(c.get(), expected, 1e-5, "convolution");
  return pass();
}
