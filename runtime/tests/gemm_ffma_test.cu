// SPDX-License-Identifier: Apache-2.0
// The fp32 GEMM: all layouts, ragged extents, every tile, batches, split K, a prologue.
#include "gemm_support.cuh"
#include "kernels/gemm/ffma.cuh"

namespace {

using namespace stitch_test;

constexpr double kTolerance = 2e-5;

template <typename Tile, Layout kLayoutA, Layout kLayoutB>
void check(Checker& checker, const GemmCase& problem) {
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const auto view_a = matrix_a<kLayoutA>(a.data(), shape);
  const auto view_b = matrix_b<kLayoutB>(b.data(), shape);
  const std::vector<double> want = problem.expected<kLayoutA, kLayoutB>();

  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched("ffma", launch_gemm_ffma<Tile, kLayoutA, kLayoutB>(shape, view_a, view_b, epilogue, nullptr));
  checker.close(problem.name("ffma"), c.values(), want, kTolerance);
}

template <typename Tile>
void check_tile(Checker& checker, const GemmShape& shape) {
  check<Tile, Layout::kContiguousK, Layout::kContiguousK>(checker, GemmCase(shape));
  check<Tile, Layout::kContiguousOuter, Layout::kContiguousOuter>(checker, GemmCase(shape));
}

void check_split(Checker& checker) {
  constexpr Layout kK = Layout::kContiguousK;
  const GemmCase problem(gemm_shape(2, 33, 20, 413));
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  for (const int64_t splits : {1, 3, 40}) {  // 40: more splits than tiles of K
    const DeviceFloats c(shape.batch * shape.m * shape.n);
    const DeviceFloats scratch(splits * shape.batch * shape.m * shape.n);
    const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
    checker.launched("split", launch_gemm_ffma_split_k<FfmaTileSmall, kK, kK>(shape, matrix_a<kK>(a.data(), shape),
                                                                              matrix_b<kK>(b.data(), shape), epilogue,
                                                                              splits, scratch.data(), nullptr));
    checker.close(problem.name("split"), c.values(), problem.expected<kK, kK>(), kTolerance);
  }
}

void check_prologue(Checker& checker) {
  constexpr Layout kK = Layout::kContiguousK;
  constexpr Layout kOuter = Layout::kContiguousOuter;
  const GemmCase problem(gemm_shape(2, 40, 36, 37));
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats scale(problem.scale);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched("prologue", launch_gemm_ffma<FfmaTileMedium, kK, kOuter>(shape, matrix_a<kK>(a.data(), shape),
                                                                            matrix_b<kOuter>(b.data(), shape), epilogue,
                                                                            nullptr, ScaleAndShift{scale.data()}));
  checker.close(problem.name("prologue"), c.values(), problem.expected<kK, kOuter>(true), kTolerance);
}

// Two-level batches: 2 x 3 matrices of A, B shared by the three.
void check_inner_batch(Checker& checker) {
  constexpr Layout kK = Layout::kContiguousK;
  GemmShape shape = gemm_shape(6, 8, 12, 16);
  shape.inner_batch = 3;
  GemmCase problem(shape);
  for (int64_t batch = 0; batch < 6; ++batch) {
    for (int64_t place = 0; place < shape.k * shape.n; ++place) {
      problem.b[batch * shape.k * shape.n + place] = problem.b[batch / 3 * 3 * shape.k * shape.n + place];
    }
  }
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  auto view_a = matrix_a<kK>(a.data(), shape);
  auto view_b = matrix_b<kK>(b.data(), shape);
  view_a.inner_batch_stride = view_a.batch_stride;
  view_a.batch_stride *= 3;
  view_b.batch_stride *= 3;
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched("inner", launch_gemm_ffma<FfmaTileSmall, kK, kK>(shape, view_a, view_b, epilogue, nullptr));
  checker.close(problem.name("inner batch"), c.values(), problem.expected<kK, kK>(), kTolerance);
}

// Three levels: 2 x 2 x 3 matrices, of A laid as (middle, outer, inner), of B shared by the middle ones.
void check_middle_batch(Checker& checker) {
  constexpr Layout kK = Layout::kContiguousK;
  GemmShape shape = gemm_shape(12, 8, 12, 16);
  shape.inner_batch = 3;
  shape.middle_batch = 2;
  GemmCase problem(shape);
  const int64_t of_a = shape.m * shape.k;
  const int64_t of_b = shape.k * shape.n;
  std::vector<float> laid(problem.a.size());
  for (int64_t batch = 0; batch < shape.batch; ++batch) {
    const int64_t inner = batch % 3;
    const int64_t middle = batch / 3 % 2;
    const int64_t outer = batch / 6;
    std::copy_n(problem.a.begin() + batch * of_a, of_a, laid.begin() + ((middle * 2 + outer) * 3 + inner) * of_a);
    std::copy_n(problem.b.begin() + (outer * 6 + inner) * of_b, of_b, problem.b.begin() + batch * of_b);
  }
  const DeviceFloats a(laid);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  auto view_a = matrix_a<kK>(a.data(), shape);
  auto view_b = matrix_b<kK>(b.data(), shape);
  view_a.inner_batch_stride = of_a;
  view_a.middle_batch_stride = 6 * of_a;
  view_a.batch_stride = 3 * of_a;
  view_b.inner_batch_stride = of_b;
  view_b.middle_batch_stride = 0;
  view_b.batch_stride = 6 * of_b;
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched("middle", launch_gemm_ffma<FfmaTileSmall, kK, kK>(shape, view_a, view_b, epilogue, nullptr));
  checker.close(problem.name("middle batch"), c.values(), problem.expected<kK, kK>(), kTolerance);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_tile<FfmaTileLarge>(checker, gemm_shape(1, 130, 132, 35));
  check_tile<FfmaTileLarge>(checker, gemm_shape(1, 129, 257, 17));
  check_tile<FfmaTileMedium>(checker, gemm_shape(2, 65, 63, 18));
  check_tile<FfmaTileSmall>(checker, gemm_shape(3, 31, 33, 64));
  check_tile<FfmaTileTall>(checker, gemm_shape(1, 140, 10, 33));
  check_tile<FfmaTileWide>(checker, gemm_shape(1, 10, 140, 20));
  check_tile<FfmaTileSmall>(checker, gemm_shape(1, 1, 1, 1));
  check<FfmaTileMedium, Layout::kContiguousOuter, Layout::kContiguousK>(checker, GemmCase(gemm_shape(1, 68, 64, 16)));
  for_each_triangle<FfmaTileSmall>([&](const GemmCase& problem) {
    check<FfmaTileSmall, Layout::kContiguousK, Layout::kContiguousOuter>(checker, problem);
  });
  check_split(checker);
  check_prologue(checker);
  check_inner_batch(checker);
  check_middle_batch(checker);
  return checker.finish();
}
