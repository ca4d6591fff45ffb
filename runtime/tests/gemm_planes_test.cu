// SPDX-License-Identifier: Apache-2.0
// The GEMM on two fp16 planes: layouts, ragged extents, batches, rows of very different size, and rows that two planes
// cannot hold.
#include "gemm_support.cuh"
#include "kernels/gemm/wgmma.cuh"

namespace {

using namespace stitch_test;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kFp32Class = 2e-6;  // of sums of about 50 products of magnitude up to 1

using Halves = PlaneTile<2, 2, 1>;
using Whole = PlaneTile<1, 2, 2>;
using Narrow = PlaneTile<1, 3, 2>;

template <typename Tile, Layout kLayoutA, Layout kLayoutB>
std::vector<float> product(Checker& checker, const GemmCase& problem) {
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const DeviceFloats memory_a(split_bytes(shape.batch, shape.m, shape.k) / 4);
  const DeviceFloats memory_b(split_bytes(shape.batch, shape.n, shape.k) / 4);
  const auto view_a = matrix_a<kLayoutA>(a.data(), shape);
  const auto view_b = matrix_b<kLayoutB>(b.data(), shape);
  checker.launched(
      "split", launch_split<kLayoutA>(view_a, shape.batch, shape.levels(), shape.m, shape.k, memory_a.data(), nullptr));
  checker.launched("split", launch_split<kLayoutB>(transposed(view_b), shape.batch, shape.levels(), shape.n, shape.k,
                                                   memory_b.data(), nullptr));
  checker.launched("planes", launch_gemm_split<Tile, kLayoutA, kLayoutB>(
                                 shape, view_a, view_b, split_matrix(memory_a.data(), shape.batch, shape.m, shape.k),
                                 split_matrix(memory_b.data(), shape.batch, shape.n, shape.k),
                                 BiasRelu{c.data(), bias.data(), shape.m, shape.n}, nullptr));
  return c.values();
}

template <typename Tile, Layout kLayoutA, Layout kLayoutB>
void check(Checker& checker, const GemmCase& problem, double tolerance) {
  checker.close(problem.name("planes"), product<Tile, kLayoutA, kLayoutB>(checker, problem),
                problem.expected<kLayoutA, kLayoutB>(), tolerance);
}

// The rhs is split once, for two calls.
void check_kept(Checker& checker) {
  const GemmCase problem(gemm_shape(1, 67, 70, 45));
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats kept(split_bytes(1, shape.n, shape.k) / 4);
  const auto view_b = matrix_b<kOuter>(b.data(), shape);
  checker.launched("split of rhs", launch_split_rhs<kOuter>(view_b, shape.n, shape.k, kept.data(), nullptr));
  for (int call = 0; call < 2; ++call) {
    const DeviceFloats c(shape.m * shape.n);
    const DeviceFloats scratch(split_bytes(1, shape.m, shape.k) / 4);
    checker.launched("kept planes",
                     launch_gemm_kept_planes<Narrow, kK, kOuter>(shape, matrix_a<kK>(a.data(), shape), view_b,
                                                                 BiasRelu{c.data(), bias.data(), shape.m, shape.n},
                                                                 kept.data(), scratch.data(), nullptr));
    checker.close("kept planes", c.values(), problem.expected<kK, kOuter>(), kFp32Class);
  }
}

// Rows of A and columns of B that are 2^-30 to 2^30 of the others keep their own precision.
void check_scales(Checker& checker) {
  constexpr int kDepth = 70;
  GemmCase problem(gemm_shape(1, 20, 24, kDepth));
  std::vector<double> scales;
  for (float& value : problem.bias) {
    value = 0.0f;
  }
  for (int row = 0; row < 20; ++row) {
    for (int k = 0; k < kDepth; ++k) {
      problem.a[row * kDepth + k] = std::ldexp(problem.a[row * kDepth + k], 3 * (row - 10));
    }
  }
  std::vector<double> want = problem.expected<kK, kK>();
  const std::vector<float> got = product<Narrow, kK, kK>(checker, problem);
  std::vector<float> scaled;
  for (size_t i = 0; i < want.size(); ++i) {
    const int undo = -3 * (static_cast<int>(i / 24) - 10);
    want[i] = std::ldexp(want[i], undo);
    scaled.push_back(std::ldexp(got[i], undo));
  }
  checker.close("planes of rows of different sizes", scaled, want, kFp32Class);
}

// Rows that are computed in another way: an infinity, a NaN, one with many small elements, one beyond the scales.
void check_unsplit(Checker& checker) {
  constexpr int kDepth = 40;
  GemmCase problem(gemm_shape(1, 150, 16, kDepth));
  problem.a[3 * kDepth + 5] = INFINITY;
  problem.a[4 * kDepth + 6] = NAN;
  problem.a[137 * kDepth + 7] = 3.4e38f;
  problem.b[2 * kDepth + 7] = 0.5f;
  problem.b[9 * kDepth + 5] = 0.0f;  // infinity times zero
  for (int k = 1; k < kDepth; ++k) {
    problem.a[8 * kDepth + k] = std::ldexp(std::fabs(problem.a[8 * kDepth + k]), -30);
    problem.b[5 * kDepth + k] = std::fabs(problem.b[5 * kDepth + k]);
  }
  problem.a[8 * kDepth] = 0.75f;  // large, and multiplied by zero
  problem.b[5 * kDepth] = 0.0f;
  problem.bias[5] = 0.0f;
  std::vector<double> want = problem.expected<kK, kK>();
  for (double& value : want) {
    value = value > 3.4028235e38 ? INFINITY : value;  // beyond float
  }
  const std::vector<float> got = product<Narrow, kK, kK>(checker, problem);
  checker.close("planes that do not hold a row", got, want, 1e-5);
  const double small = want[8 * 16 + 5] * std::ldexp(1.0, 30);
  checker.close("small elements of a row", std::vector<float>{std::ldexp(got[8 * 16 + 5], 30)}, {small}, kFp32Class);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  const GemmCase ragged(gemm_shape(1, 67, 70, 45));
  check<Halves, kK, kK>(checker, ragged, kFp32Class);
  check<Halves, kK, kOuter>(checker, ragged, kFp32Class);
  check<Whole, kOuter, kK>(checker, ragged, kFp32Class);
  check<Narrow, kOuter, kOuter>(checker, ragged, kFp32Class);
  check<Halves, kK, kOuter>(checker, GemmCase(gemm_shape(1, 130, 260, 100)), 2 * kFp32Class);
  check<Whole, kK, kK>(checker, GemmCase(gemm_shape(1, 100, 200, 324)), 4 * kFp32Class);
  check<Narrow, kK, kK>(checker, GemmCase(gemm_shape(2, 64, 64, 32)), kFp32Class);
  check<Narrow, kK, kOuter>(checker, GemmCase(gemm_shape(1, 3, 2, 1064)), 20 * kFp32Class);  // a block splits a row
  for_each_triangle<Narrow>([&](const GemmCase& problem) { check<Narrow, kK, kOuter>(checker, problem, kFp32Class); });
  check_kept(checker);
  check_scales(checker);
  check_unsplit(checker);
  return checker.finish();
}
