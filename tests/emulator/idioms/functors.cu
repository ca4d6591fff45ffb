// SPDX-License-Identifier: Apache-2.0
// Kernels that take functors and structs by value; device member functions, operators, recursion over types.
#include "check.h"

struct Affine {
  float scale, shift;
  __host__ __device__ float operator()(float x) const { return scale * x + shift; }
};
struct Relu {
  __device__ __forceinline__ float operator()(float x) const { return x > 0 ? x : 0.0f; }
};
template <class First, class... Rest>
struct Chain {
  First first;
  Chain<Rest...> rest;
  __device__ float operator()(float x) const { return rest(first(x)); }
};
template <class Last>
struct Chain<Last> {
  Last last;
  __device__ float operator()(float x) const { return last(x); }
};
struct Strided {
  const float* data;
  long long row_stride, column_stride;
  __device__ __noinline__ float at(int row, int column) const {
    return data[row * row_stride + column * column_stride];
  }
};

template <class Load, class Function>
__global__ void map(Load load, Function function, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * columns) out[i] = function(load.at(i / columns, i % columns));
}

struct __align__(16) Big {
  float values[20];
};
__global__ void from_big(const __grid_constant__ Big big, float* out) { out[threadIdx.x] = big.values[threadIdx.x]; }

int main() {
  const int rows = 9, columns = 13;
  const std::vector<float> in = ramp(rows * columns);
  DeviceArray<float> a(in), b(rows * columns);
  const Strided transposed{a.data, 1, rows};
  const Chain<Affine, Relu, Affine> chain{{2.0f, 1.5f}, {{}, {{-1.0f, 0.25f}}}};
  map<<<4, 32>>>(transposed, chain, b.data, rows, columns);
  std::vector<double> expected(rows * columns);
  for (int i = 0; i < rows * columns; ++i) {
    const double x = in[i / columns + i % columns * rows];
    expected[i] = 0.25 - std::fmax(2 * x + 1.5, 0.0);
  }
  expect_near(b.get(), expected, 1e-6, "chain");
  Big big;
  for (int i = 0; i < 20; ++i) big.values[i] = i * 1.5f;
  from_big<<<1, 20>>>(big, b.data);
  std::vector<float> got = b.get();
  got.resize(20);
  expect_equal(got, std::vector<float>(big.values, big.values + 20), "big");
  return pass();
}
