// SPDX-License-Identifier: Apache-2.0
// The GEMM of little depth on planes: layouts, ragged extents, batches, walks of several tiles, and what two planes
// cannot hold.
#include "gemm_support.cuh"
#include "kernels/gemm/wgmma_thin.cuh"

namespace {

using namespace stitch_test;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kFp32Class = 2e-6;  // of sums of about 50 products of magnitude up to 1

template <int kChunks, Layout kLayoutA, Layout kLayoutB>
std::vector<float> product(Checker& checker, const GemmCase& problem) {
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const DeviceFloats scratch(
      (split_bytes(shape.batch, shape.m, shape.k) + split_bytes(shape.batch, shape.n, shape.k)) / 4);
  checker.launched("thin planes", launch_gemm_thin_planes<kChunks, kLayoutA, kLayoutB>(
                                      shape, matrix_a<kLayoutA>(a.data(), shape), matrix_b<kLayoutB>(b.data(), shape),
                                      BiasRelu{c.data(), bias.data(), shape.m, shape.n}, scratch.data(), nullptr));
  return c.values();
}

template <int kChunks, Layout kLayoutA, Layout kLayoutB>
void check(Checker& checker, const GemmCase& problem, double tolerance) {
  checker.close(problem.name("thin planes"), product<kChunks, kLayoutA, kLayoutB>(checker, problem),
                problem.expected<kLayoutA, kLayoutB>(), tolerance);
}

// In the second of three tiles of a walk: an infinity, a NaN, and a column with many small elements.
void check_unsplit(Checker& checker) {
  constexpr int kDepth = 40;
  GemmCase problem(gemm_shape(1, 8, 300, kDepth));
  problem.b[130 * kDepth + 5] = INFINITY;
  problem.b[131 * kDepth + 6] = NAN;
  problem.a[2 * kDepth + 5] = 0.0f;  // infinity times zero
  for (int k = 1; k < kDepth; ++k) {
    problem.b[140 * kDepth + k] = std::ldexp(std::fabs(problem.b[140 * kDepth + k]), -30);
    problem.a[3 * kDepth + k] = std::fabs(problem.a[3 * kDepth + k]);
  }
  problem.b[140 * kDepth] = 0.75f;  // large, and multiplied by zero
  problem.a[3 * kDepth] = 0.0f;
  problem.bias[140] = 0.0f;
  const std::vector<double> want = problem.expected<kK, kK>();
  const std::vector<float> got = product<2, kK, kK>(checker, problem);
  checker.close("thin planes that do not hold a column", got, want, 1e-5);
  const size_t small = 3 * 300 + 140;
  checker.close("small elements of a column", std::vector<float>{std::ldexp(got[small], 30)},
                {std::ldexp(want[small], 30)}, kFp32Class);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  const GemmCase ragged(gemm_shape(1, 67, 270, 45));
  check<2, kK, kK>(checker, ragged, kFp32Class);
  check<2, kOuter, kK>(checker, ragged, kFp32Class);
  check<4, kK, kOuter>(checker, ragged, kFp32Class);
  check<4, kOuter, kOuter>(checker, GemmCase(gemm_shape(1, 20, 150, 128)), 2 * kFp32Class);
  check<1, kOuter, kOuter>(checker, GemmCase(gemm_shape(1, 70, 400, 31)), kFp32Class);
  check<1, kK, kOuter>(checker, GemmCase(gemm_shape(3, 5, 132, 9)), kFp32Class);
  check<2, kK, kOuter>(checker, GemmCase(gemm_shape(2, 64, 256, 64)), 2 * kFp32Class);
  check<1, kK, kK>(checker, GemmCase(gemm_shape(1, 3, 700, 3)), kFp32Class);  // two walks
  check_unsplit(checker);
  return checker.finish();
}
