// SPDX-License-Identifier: Apache-2.0
// All pairs in tiles: every block walks the bodies through shared memory; float3 and float4 arithmetic by hand.
#include "check.h"

__device__ float3 pull(float3 sum, float4 self, float4 other) {
  const float x = other.x - self.x, y = other.y - self.y, z = other.z - self.z;
  const float inverse = rsqrtf(x * x + y * y + z * z + 1e-2f), strength = other.w * inverse * inverse * inverse;
  return make_float3(sum.x + x * strength, sum.y + y * strength, sum.z + z * strength);
}

__global__ void forces(const float4* bodies, float3* out, int count) {
  extern __shared__ float4 tile[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 self = i < count ? bodies[i] : make_float4(0, 0, 0, 0);
  float3 sum = {0, 0, 0};
  for (int start = 0; start < count; start += blockDim.x) {
    const int j = start + threadIdx.x;
    tile[threadIdx.x] = j < count ? bodies[j] : make_float4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < blockDim.x; ++k) sum = pull(sum, self, tile[k]);
    __syncthreads();
  }
  if (i < count) out[i] = sum;
}

int main() {
  const int count = 150;
  std::vector<float4> bodies(count);
  for (int i = 0; i < count; ++i)
    bodies[i] = {float(i % 7) * 0.3f, float(i % 11) * 0.2f, float(i % 13) * 0.1f, 0.01f * float(1 + i % 5)};
  DeviceArray<float4> a(bodies);
  DeviceArray<float3> b(count);
  forces<<<(count + 63) / 64, 64, 64 * sizeof(float4)>>>(a.data, b.data, count);
  std::vector<float> got;
  std::vector<double> expected;
  for (const float3& force : b.get()) got.push_back(force.x), got.push_back(force.y), got.push_back(force.z);
  for (int i = 0; i < count; ++i) {
    double sum[3] = {0, 0, 0};
    for (int j = 0; j < count; ++j) {
      const double d[3] = {double(bodies[j].x) - bodies[i].x, double(bodies[j].y) - bodies[i].y,
                           double(bodies[j].z) - bodies[i].z};
      const double strength = bodies[j].w / std::pow(d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + 1e-2, 1.5);
      for (int axis = 0; axis < 3; ++axis) sum[axis] += d[axis] * strength;
    }
    expected.insert(expected.end(), sum, sum + 3);
  }
  expect_near(got, expected, 1e-4, "forces");
  return pass();
}
