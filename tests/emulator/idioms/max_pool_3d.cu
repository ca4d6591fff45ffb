// SPDX-License-Identifier: Apache-2.0
// Pooling in three dimensions with places: a three-dimensional block, infinities as the neutral element, int64 results.
#include <cmath>

#include "check.h"

__global__ void max_pool(const float* in, float* out, long long* places, int depth, int height, int width, int kernel) {
  const int z = blockIdx.z * blockDim.z + threadIdx.z, y = blockIdx.y * blockDim.y + threadIdx.y,
            x = blockIdx.x * blockDim.x + threadIdx.x;
  const int od = depth / kernel, oh = height / kernel, ow = width / kernel;
  if (z >= od || y >= oh || x >= ow) return;
  float best = -INFINITY;
  long long place = -1;
  for (int dz = 0; dz < kernel; ++dz)
    for (int dy = 0; dy < kernel; ++dy)
      for (int dx = 0; dx < kernel; ++dx) {
        const long long at =
            (static_cast<long long>(z * kernel + dz) * height + y * kernel + dy) * width + x * kernel + dx;
        if (in[at] > best || place < 0) best = in[at], place = at;
      }
  const int o = (z * oh + y) * ow + x;
  out[o] = best, places[o] = place;
}

int main() {
  const int depth = 6, height = 9, width = 12, kernel = 3, count = depth * height * width;
  std::vector<float> in(count);
  for (int i = 0; i < count; ++i) in[i] = static_cast<float>((i * 613) % 1009);
  const int od = depth / kernel, oh = height / kernel, ow = width / kernel;
  DeviceArray<float> a(in), b(od * oh * ow);
  DeviceArray<long long> p(od * oh * ow);
  max_pool<<<dim3(1, 1, 1), dim3(4, 4, 4)>>>(a.data, b.data, p.data, depth, height, width, kernel);
  const std::vector<float> best = b.get();
  const std::vector<long long> places = p.get();
  for (int o = 0; o < od * oh * ow; ++o) {
    float expected = -1;
    for (int i = 0; i < count; ++i)
      if (i / (height * width) / kernel == o / (oh * ow) && i / width % height / kernel == o / ow % oh &&
          i % width / kernel == o % ow)
        expected = std::max(expected, in[i]);
    if (best[o] != expected || in[places[o]] != expected) return std::printf("WRONG pool[%d]\n", o), 1;
  }
  return pass();
}
