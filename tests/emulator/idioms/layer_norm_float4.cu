// SPDX-License-Identifier: Apache-2.0
// Layer normalisation a warp a row, four floats a load, gamma and beta applied on the way out.
#include "check.h"

__global__ void layer_norm(const float4* in, const float4* gamma, const float4* beta, float4* out, int quads,
                           float epsilon) {
  const float4* row = in + static_cast<size_t>(blockIdx.x) * quads;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = row[i];
    sum += (v.x + v.y) + (v.z + v.w);
    squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
#pragma unroll
  for (int step = 16; step > 0; step >>= 1) {
    sum += __shfl_xor_sync(0xffffffff, sum, step);
    squares += __shfl_xor_sync(0xffffffff, squares, step);
  }
  const float mean = sum / (4 * quads), scale = rsqrtf(squares / (4 * quads) - mean * mean + epsilon);
  for (int i = threadIdx.x; i < quads; i += blockDim.x) {
    const float4 v = row[i], g = gamma[i], b = beta[i];
    out[static_cast<size_t>(blockIdx.x) * quads + i] =
        make_float4((v.x - mean) * scale * g.x + b.x, (v.y - mean) * scale * g.y + b.y,
                    (v.z - mean) * scale * g.z + b.z, (v.w - mean) * scale * g.w + b.w);
  }
}

int main() {
  const int rows = 6, columns = 204;
  const std::vector<float> in = ramp(rows * columns), gamma = ramp(columns, 0.01f, 0.5f), beta = ramp(columns, 0.02f);
  DeviceArray<float> a(in), g(gamma), b(beta), out(in.size());
  auto quads = [](const DeviceArray<float>& array) { return reinterpret_cast<float4*>(array.data); };
  layer_norm<<<rows, 32>>>(quads(a), quads(g), quads(b), quads(out), columns / 4, 1e-5f);
  std::vector<double> expected(in.size());
  for (int r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (int c = 0; c < columns; ++c) mean += double(in[r * columns + c]) / columns;
    for (int c = 0; c < columns; ++c) variance += std::pow(in[r * columns + c] - mean, 2) / columns;
    for (int c = 0; c < columns; ++c)
      expected[r * columns + c] = (in[r * columns + c] - mean) / std::sqrt(variance + 1e-5) * gamma[c] + beta[c];
  }
  expect_near(out.get(), expected, 2e-5, "normalised");
  return pass();
}
