// SPDX-License-Identifier: Apache-2.0
// The tensor-core GEMM: every policy within its own error, layouts, ragged extents, split K, a prologue, and operands
// that splitting into parts cannot represent; tiles outside of a triangle.
#include "gemm_support.cuh"
#include "kernels/gemm/mma.cuh"

namespace {

using namespace stitch_test;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kFp32Class = 2e-6;  // of sums of about 50 products of magnitude up to 1
constexpr double kTf32 = 1e-2;
constexpr double kReduced = 8e-2;

template <typename Math, typename Tile, Layout kLayoutA, Layout kLayoutB>
void check(Checker& checker, const GemmCase& problem, double tolerance) {
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched(
      "mma", launch_gemm_mma<Math, Tile, kLayoutA, kLayoutB>(shape, matrix_a<kLayoutA>(a.data(), shape),
                                                             matrix_b<kLayoutB>(b.data(), shape), epilogue, nullptr));
  checker.close(problem.name("mma"), c.values(), problem.expected<kLayoutA, kLayoutB>(), tolerance);
}

void check_split_and_prologue(Checker& checker) {
  const GemmCase problem(gemm_shape(2, 20, 36, 301));
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats scale(problem.scale);
  const auto view_a = matrix_a<kK>(a.data(), shape);
  const auto view_b = matrix_b<kOuter>(b.data(), shape);
  for (const int64_t splits : {2, 16}) {  // 16: more splits than tiles of K
    const DeviceFloats c(shape.batch * shape.m * shape.n);
    const DeviceFloats scratch(splits * shape.batch * shape.m * shape.n);
    const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
    checker.launched("split", launch_gemm_mma_split_k<Tf32x3, MmaTileSmall, kK, kOuter>(
                                  shape, view_a, view_b, epilogue, splits, scratch.data(), nullptr));
    checker.close(problem.name("mma split"), c.values(), problem.expected<kK, kOuter>(), 2 * kFp32Class);
  }
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched("prologue", launch_gemm_mma<Tf32x3, MmaTileSmall, kK, kOuter>(shape, view_a, view_b, epilogue,
                                                                                 nullptr, ScaleAndShift{scale.data()}));
  checker.close(problem.name("mma prologue"), c.values(), problem.expected<kK, kOuter>(true), 2 * kFp32Class);
}

template <typename Math>
void check_special_values(Checker& checker, double tolerance) {
  GemmCase problem(gemm_shape(1, 16, 16, 40));
  problem.a[3 * 40 + 5] = INFINITY;
  problem.a[4 * 40 + 6] = NAN;
  problem.a[5 * 40 + 7] = 3.4e38f;  // its upper part rounds up to infinity
  problem.b[2 * 40 + 7] = 0.5f;
  problem.b[9 * 40 + 5] = 0.0f;  // infinity times zero
  std::vector<double> want = problem.expected<kK, kK>();
  for (double& value : want) {
    value = value > 3.4028235e38 ? INFINITY : value;  // beyond float
  }
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(16 * 16);
  const BiasRelu epilogue{c.data(), bias.data(), 16, 16};
  checker.launched(
      "special", launch_gemm_mma<Math, MmaTileSmall, kK, kK>(problem.shape, matrix_a<kK>(a.data(), problem.shape),
                                                             matrix_b<kK>(b.data(), problem.shape), epilogue, nullptr));
  checker.close("mma special values", c.values(), want, tolerance);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  const GemmCase ragged(gemm_shape(1, 67, 70, 45));
  const GemmCase aligned(gemm_shape(2, 64, 64, 64));
  check<Tf32x3, MmaTileMedium, kK, kK>(checker, ragged, kFp32Class);
  check<Tf32x3, MmaTileMedium, kK, kOuter>(checker, ragged, kFp32Class);
  check<Tf32x3, MmaTileMedium, kOuter, kK>(checker, ragged, kFp32Class);
  check<Tf32x3, MmaTileMedium, kOuter, kOuter>(checker, ragged, kFp32Class);
  check<Tf32x3, MmaTileMedium, kK, kOuter>(checker, aligned, kFp32Class);
  check<Tf32x3, MmaTileMedium, kOuter, kK>(checker, aligned, kFp32Class);
  check<Tf32x3, MmaTileSmall, kK, kK>(checker, GemmCase(gemm_shape(1, 1, 3, 300)), 2 * kFp32Class);
  check<Tf32x3, MmaTileLarge, kK, kK>(checker, GemmCase(gemm_shape(1, 130, 129, 33)), kFp32Class);
  const GemmCase edges(gemm_shape(1, 68, 132, 100));  // 16-byte copies, tiles beyond every end
  check<Tf32x3, MmaTileBroad, kK, kK>(checker, edges, 2 * kFp32Class);
  check<Tf32x3, MmaTileBroad, kOuter, kOuter>(checker, edges, 2 * kFp32Class);
  check<Tf32x3, MmaTileWide, kK, kOuter>(checker, GemmCase(gemm_shape(1, 5, 140, 64)), kFp32Class);
  check<Tf32, MmaTileMedium, kK, kK>(checker, ragged, kTf32);
  check<Bf16, MmaTileMedium, kK, kOuter>(checker, ragged, kReduced);
  check<Fp16, MmaTileMedium, kOuter, kK>(checker, ragged, kTf32);
  for_each_triangle<MmaTileSmall>(
      [&](const GemmCase& problem) { check<Tf32x3, MmaTileSmall, kK, kOuter>(checker, problem, kFp32Class); });
  check_split_and_prologue(checker);
  check_special_values<Tf32x3>(checker, 1e-5);
  check_special_values<Tf32>(checker, kTf32);
  return checker.finish();
}
