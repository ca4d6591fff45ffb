// SPDX-License-Identifier: Apache-2.0
// The GEMM with lhs in registers: layouts of rhs, ragged extents, rows that begin anywhere, clusters, operands of very
// different size, infinities.
#include "gemm_support.cuh"
#include "kernels/gemm/wgmma_registers.cuh"

namespace {

using namespace stitch_test;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kFp32Class = 2e-6;  // of sums of about 50 products of magnitude up to 1

using Tall = RegisterTile<2, 64>;
using Broad = RegisterTile<1, 128>;
using Small = RegisterTile<1, 64>;

template <typename Tile, int kCluster, Layout kLayoutB>
std::vector<float> product(Checker& checker, const GemmCase& problem) {
  const GemmShape& shape = problem.shape;
  const DeviceFloats a(problem.a);
  const DeviceFloats b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  const DeviceFloats arranged(register_detail::arranged_bytes<Tile>(shape.n, shape.k) / 4);
  const auto view_b = matrix_b<kLayoutB>(b.data(), shape);
  checker.launched("rhs", launch_arrange_rhs<Tile, kLayoutB>(view_b, shape.n, shape.k, arranged.data(), nullptr));
  checker.launched("product", launch_gemm_kept_registers<Tile, kCluster, kK, kLayoutB>(
                                  shape, matrix_a<kK>(a.data(), shape), view_b, epilogue, arranged.data(), nullptr));
  return c.values();
}

template <typename Tile, int kCluster, Layout kLayoutB = kK>
void check(Checker& checker, int64_t m, int64_t n, int64_t k, double tolerance) {
  const GemmCase problem(gemm_shape(1, m, n, k));
  checker.close(problem.name("registers"), product<Tile, kCluster, kLayoutB>(checker, problem),
                problem.expected<kK, kLayoutB>(), tolerance);
}

// Elements that are 2^-60 to 2^60 of the others: A's are as small as B's are large.
void check_scales(Checker& checker) {
  constexpr int kDepth = 150;
  GemmCase problem(gemm_shape(1, 20, 24, kDepth));
  for (int k = 0; k < kDepth; ++k) {
    const int shift = 30 * (k / 32 - 2);
    for (int row = 0; row < 20; ++row) {
      problem.a[row * kDepth + k] = std::ldexp(problem.a[row * kDepth + k], shift);
    }
    for (int column = 0; column < 24; ++column) {
      problem.b[column * kDepth + k] = std::ldexp(problem.b[column * kDepth + k], -shift);
    }
  }
  checker.close("operands of any size", product<Small, 1, kK>(checker, problem), problem.expected<kK, kK>(),
                2 * kFp32Class);
}

// What is multiplied again: an infinity, a NaN, what two parts would round to infinity.
template <typename Tile, int kCluster>
void check_non_finite(Checker& checker) {
  constexpr int kDepth = 70;
  GemmCase problem(gemm_shape(1, 150, 16, kDepth));
  problem.a[3 * kDepth + 5] = INFINITY;
  problem.a[4 * kDepth + 6] = NAN;
  problem.a[137 * kDepth + 7] = 3.4028234e38f;
  problem.b[2 * kDepth + 7] = 0.5f;
  problem.b[9 * kDepth + 5] = 0.0f;  // infinity times zero
  std::vector<double> want = problem.expected<kK, kK>();
  for (double& value : want) {
    value = value > 3.4028235e38 ? INFINITY : value;  // beyond float
  }
  checker.close("infinities, " + std::to_string(kCluster) + " blocks", product<Tile, kCluster, kK>(checker, problem),
                want, 1e-5);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check<Tall, 1>(checker, 67, 70, 45, kFp32Class);
  check<Tall, 1, kOuter>(checker, 130, 68, 164, 2 * kFp32Class);
  check<Broad, 1>(checker, 70, 130, 97, kFp32Class);
  check<Broad, 2, kOuter>(checker, 65, 132, 160, 2 * kFp32Class);
  check<Small, 1, kOuter>(checker, 64, 64, 32, kFp32Class);
  check<Small, 4>(checker, 70, 61, 97, kFp32Class);  // a part of no depth
  check<Tall, 4>(checker, 140, 66, 580, 4 * kFp32Class);
  check<Tall, 8>(checker, 33, 64, 300, 4 * kFp32Class);
  check_scales(checker);
  check_non_finite<Small, 1>(checker);
  check_non_finite<Tall, 2>(checker);
  return checker.finish();
}
