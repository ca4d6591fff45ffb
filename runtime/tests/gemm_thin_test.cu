// SPDX-License-Identifier: Apache-2.0
// The tensor-core GEMM of little depth: layouts, ragged extents, batches, and operands that splitting into parts cannot
// represent.
#include "gemm_support.cuh"
#include "kernels/gemm/mma_thin.cuh"

namespace {

using namespace stitch_test;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kFp32Class = 2e-6;  // of sums of up to 32 products of magnitude up to 1
constexpr double kTf32 = 1e-2;

template <typename Math, int kDepth, Layout kLayoutA, Layout kLayoutB>
void check(Checker& checker, const GemmCase& problem, double tolerance) {
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched(
      "thin", launch_gemm_mma_thin<Math, kDepth, kLayoutA, kLayoutB>(
                  shape, matrix_a<kLayoutA>(a.data(), shape), matrix_b<kLayoutB>(b.data(), shape), epilogue, nullptr));
  checker.close(problem.name("thin"), c.values(), problem.expected<kLayoutA, kLayoutB>(), tolerance);
}

template <typename Math, int kDepth>
void check_layouts(Checker& checker, const GemmCase& problem, double tolerance) {
  check<Math, kDepth, kK, kK>(checker, problem, tolerance);
  check<Math, kDepth, kK, kOuter>(checker, problem, tolerance);
  check<Math, kDepth, kOuter, kK>(checker, problem, tolerance);
  check<Math, kDepth, kOuter, kOuter>(checker, problem, tolerance);
}

// An infinity, a NaN, and a value whose upper part rounds up to infinity, each in a row of its own.
template <typename Math>
void check_special_values(Checker& checker, double tolerance) {
  constexpr int kDepth = 20;
  GemmCase problem(gemm_shape(1, 40, 16, kDepth));
  problem.a[3 * kDepth + 5] = INFINITY;
  problem.a[4 * kDepth + 6] = NAN;
  problem.a[37 * kDepth + 7] = 3.4e38f;
  problem.b[2 * kDepth + 7] = 0.5f;
  problem.b[9 * kDepth + 5] = 0.0f;  // infinity times zero
  std::vector<double> want = problem.expected<kK, kK>();
  for (double& value : want) {
    value = value > 3.4028235e38 ? INFINITY : value;  // beyond float
  }
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(40 * 16);
  const BiasRelu epilogue{c.data(), bias.data(), 40, 16};
  checker.launched("special",
                   launch_gemm_mma_thin<Math, 32, kK, kK>(problem.shape, matrix_a<kK>(a.data(), problem.shape),
                                                          matrix_b<kK>(b.data(), problem.shape), epilogue, nullptr));
  checker.close("thin special values", c.values(), want, tolerance);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_layouts<Tf32x3, 32>(checker, GemmCase(gemm_shape(1, 67, 70, 29)), kFp32Class);
  check_layouts<Tf32x3, 32>(checker, GemmCase(gemm_shape(2, 128, 64, 32)), kFp32Class);
  check_layouts<Tf32x3, 64>(checker, GemmCase(gemm_shape(1, 131, 132, 63)), 2 * kFp32Class);
  check<Tf32x3, 32, kK, kOuter>(checker, GemmCase(gemm_shape(3, 5, 200, 1)), kFp32Class);
  check<Tf32x3, 64, kK, kOuter>(checker, GemmCase(gemm_shape(1, 260, 3, 40)), 2 * kFp32Class);
  check<Tf32x3, 32, kK, kOuter>(checker, GemmCase(gemm_shape(1, 20, 36, 33)), kFp32Class);  // too deep for it
  check<Tf32, 32, kK, kOuter>(checker, GemmCase(gemm_shape(1, 130, 68, 32)), kTf32);
  check_special_values<Tf32x3>(checker, 1e-5);
  check_special_values<Tf32>(checker, kTf32);
  return checker.finish();
}
