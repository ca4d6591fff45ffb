// SPDX-License-Identifier: Apache-2.0
// What the GEMM tests share: operands in either layout, an epilogue, and a plain reference.
#pragma once

#include "kernels/gemm/operands.cuh"
#include "support.h"

namespace stitch_test {

using namespace stitch;

// c = relu(accumulator + bias[column]), with or without lanes.
struct BiasRelu {
  float* c;
  const float* bias;
  int64_t m;
  int64_t n;

  __device__ void operator()(int64_t batch, int64_t row, int64_t column, float value) const {
    c[(batch * m + row) * n + column] = relu(value + bias[column]);
  }
  template <int kLanes>
  __device__ void lanes(int64_t batch, int64_t row, int64_t column, Lanes<float, kLanes> values) const {
    const Lanes<float, kLanes> shift = load_float_lanes<kLanes>(bias + column);
    for (int lane = 0; lane < kLanes; ++lane) {
      values[lane] = relu(values[lane] + shift[lane]);
    }
    store_float_lanes(c + (batch * m + row) * n + column, values);
  }
};

// A prologue: a[i][k] * scale[k] + 1.
struct ScaleAndShift {
  const float* scale;
  __device__ float operator()(int64_t, int64_t, int64_t k, float value) const { return value * scale[k] + 1.0f; }
};

template <Layout kLayout>
StridedMatrix<float> matrix_a(const float* data, const GemmShape& shape) {
  return kLayout == Layout::kContiguousK ? StridedMatrix<float>{data, shape.m * shape.k, shape.k, 1}
                                         : StridedMatrix<float>{data, shape.m * shape.k, 1, shape.m};
}

template <Layout kLayout>
StridedMatrix<float> matrix_b(const float* data, const GemmShape& shape) {
  return kLayout == Layout::kContiguousK ? StridedMatrix<float>{data, shape.k * shape.n, 1, shape.k}
                                         : StridedMatrix<float>{data, shape.k * shape.n, shape.n, 1};
}

struct GemmCase {
  GemmShape shape;
  std::vector<float> a;
  std::vector<float> b;
  std::vector<float> bias;
  std::vector<float> scale;
  int64_t tile_m = 1;  // of a kernel that leaves out tiles outside of shape.kept
  int64_t tile_n = 1;

  explicit GemmCase(const GemmShape& shape)
      : shape(shape),
        a(random_floats(shape.batch * shape.m * shape.k, 1)),
        b(random_floats(shape.batch * shape.k * shape.n, 2)),
        bias(random_floats(shape.n, 3)),
        scale(random_floats(shape.k, 4)) {}

  // Whether the element's tile has any of the kept diagonals.
  bool is_multiplied(int64_t row, int64_t column) const {
    const int64_t first_row = row / tile_m * tile_m;
    const int64_t first_column = column / tile_n * tile_n;
    return shape.kept.any(first_row, first_row + tile_m - 1, first_column, first_column + tile_n - 1);
  }

  // relu(A B + bias), without A B where nothing is multiplied; with_prologue: A as ScaleAndShift makes it.
  template <Layout kLayoutA, Layout kLayoutB>
  std::vector<double> expected(bool with_prologue = false) const {
    const auto view_a = matrix_a<kLayoutA>(a.data(), shape);
    const auto view_b = matrix_b<kLayoutB>(b.data(), shape);
    std::vector<double> want;
    for (int64_t place = 0; place < shape.batch * shape.m * shape.n; ++place) {
      const int64_t batch = place / shape.n / shape.m;
      const int64_t row = place / shape.n % shape.m;
      const int64_t column = place % shape.n;
      double sum = bias[column];
      for (int64_t k = 0; k < shape.k && is_multiplied(row, column); ++k) {
        double left = view_a.data[batch * view_a.batch_stride + row * view_a.row_stride + k * view_a.column_stride];
        left = with_prologue ? left * scale[k] + 1.0 : left;
        sum += left * view_b.data[batch * view_b.batch_stride + k * view_b.row_stride + column * view_b.column_stride];
      }
      want.push_back(std::isnan(sum) ? sum : std::fmax(sum, 0.0));
    }
    return want;
  }

  std::string name(const std::string& what) const {
    return what + " " + std::to_string(shape.batch) + "x" + std::to_string(shape.m) + "x" + std::to_string(shape.n) +
           "x" + std::to_string(shape.k);
  }
};

inline GemmShape gemm_shape(int64_t batch, int64_t m, int64_t n, int64_t k) {
  GemmShape shape{batch, m, n, k};
  shape.epilogue_vectorised = n % 4 == 0;
  return shape;
}

// Cases of a product's triangle: rows and columns that are no multiples of the tile, above and below the diagonal.
template <typename Tile, typename Check>
void for_each_triangle(const Check& check) {
  for (const KeptDiagonals& kept : {KeptDiagonals{.least = 3}, KeptDiagonals{.greatest = -5}}) {
    GemmCase problem(gemm_shape(2, 3 * Tile::m - 7, 3 * Tile::n - 12, 37));
    problem.shape.kept = kept;
    problem.tile_m = Tile::m;
    problem.tile_n = Tile::n;
    check(problem);
  }
}

}  // namespace stitch_test
