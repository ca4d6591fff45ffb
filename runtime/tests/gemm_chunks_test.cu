// SPDX-License-Identifier: Apache-2.0
// The GEMM in chunks that a block splits itself: layouts, ragged extents, batches, parts of K, rows whose chunks are of
// very different size, and what two fp16 parts cannot hold.
#include "gemm_support.cuh"
#include "kernels/gemm/wgmma_chunks.cuh"

namespace {

using namespace stitch_test;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kFp32Class = 2e-6;  // of sums of about 50 products of magnitude up to 1

using Square = ChunkTile<2, 1, 128, 2, 1, 3, false>;
using Beside = ChunkTile<1, 2, 64, 2, 1, 2, false>;
using Narrow = ChunkTile<1, 1, 64, 3, 1, 1, false>;
using KeptSquare = ChunkTile<2, 1, 128, 2, 1, 0, true>;
using KeptBeside = ChunkTile<1, 2, 64, 2, 2, 0, true>;
using KeptDeep = ChunkTile<1, 2, 64, 3, 1, 4, true>;

struct Operands {
  DeviceFloats a;
  DeviceFloats b;
  DeviceFloats bias;
  DeviceFloats c;

  explicit Operands(const GemmCase& problem)
      : a(problem.a), b(problem.b), bias(problem.bias), c(problem.shape.batch * problem.shape.m * problem.shape.n) {}
  BiasRelu epilogue(const GemmShape& shape) const { return {c.data(), bias.data(), shape.m, shape.n}; }
};

template <typename Tile, int kCluster, Layout kLayoutA, Layout kLayoutB>
std::vector<float> product(Checker& checker, const GemmCase& problem) {
  const GemmShape& shape = problem.shape;
  const Operands on(problem);
  checker.launched("chunks", launch_gemm_chunks<Tile, kCluster, kLayoutA, kLayoutB>(
                                 shape, matrix_a<kLayoutA>(on.a.data(), shape), matrix_b<kLayoutB>(on.b.data(), shape),
                                 on.epilogue(shape), nullptr));
  return on.c.values();
}

template <typename Tile, int kCluster, Layout kLayoutA, Layout kLayoutB>
void check(Checker& checker, const GemmCase& problem, double tolerance) {
  checker.close(problem.name("chunks"), product<Tile, kCluster, kLayoutA, kLayoutB>(checker, problem),
                problem.expected<kLayoutA, kLayoutB>(), tolerance);
}

template <typename Tile, Layout kLayoutA, Layout kLayoutB>
void check_split(Checker& checker, const GemmCase& problem, int64_t splits, double tolerance) {
  const GemmShape& shape = problem.shape;
  const Operands on(problem);
  const DeviceFloats scratch(splits * shape.batch * shape.m * shape.n);
  checker.launched("chunks of parts of K",
                   launch_gemm_chunks_split_k<Tile, kLayoutA, kLayoutB>(
                       shape, matrix_a<kLayoutA>(on.a.data(), shape), matrix_b<kLayoutB>(on.b.data(), shape),
                       on.epilogue(shape), splits, scratch.data(), nullptr));
  checker.close(problem.name("chunks of parts of K"), on.c.values(), problem.expected<kLayoutA, kLayoutB>(), tolerance);
}

// The rhs is split before.
template <typename Tile, int kCluster, Layout kLayoutA, Layout kLayoutB>
std::vector<float> kept_product(Checker& checker, const GemmCase& problem) {
  const GemmShape& shape = problem.shape;
  const Operands on(problem);
  const DeviceFloats kept(split_bytes(1, shape.n, shape.k) / 4);
  const auto view_b = matrix_b<kLayoutB>(on.b.data(), shape);
  checker.launched("split of rhs", launch_split_rhs<kLayoutB>(view_b, shape.n, shape.k, kept.data(), nullptr));
  checker.launched(
      "kept", launch_gemm_kept_chunks<Tile, kCluster, kLayoutA, kLayoutB>(
                  shape, matrix_a<kLayoutA>(on.a.data(), shape), view_b, on.epilogue(shape), kept.data(), nullptr));
  return on.c.values();
}

template <typename Tile, int kCluster, Layout kLayoutA, Layout kLayoutB>
void check_kept(Checker& checker, const GemmCase& problem, double tolerance) {
  checker.close(problem.name("kept chunks"), kept_product<Tile, kCluster, kLayoutA, kLayoutB>(checker, problem),
                problem.expected<kLayoutA, kLayoutB>(), tolerance);
}

// Chunks of 32 that are 2^-60 to 2^60 of the others keep their own precision: A's are as small as B's are large.
void check_scales(Checker& checker) {
  constexpr int kDepth = 150;
  constexpr int kRows = 20;
  constexpr int kColumns = 24;
  GemmCase problem(gemm_shape(1, kRows, kColumns, kDepth));
  for (int k = 0; k < kDepth; ++k) {
    const int shift = 30 * (k / 32 - 2);
    for (int row = 0; row < kRows; ++row) {
      problem.a[row * kDepth + k] = std::ldexp(problem.a[row * kDepth + k], shift);
    }
    for (int column = 0; column < kColumns; ++column) {
      problem.b[column * kDepth + k] = std::ldexp(problem.b[column * kDepth + k], -shift);
    }
  }
  check<Narrow, 1, kK, kK>(checker, problem, 2 * kFp32Class);
}

// What is multiplied again: an infinity, a NaN, a row with many small elements, one beyond the scales.
GemmCase unsplit_problem() {
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
  return problem;
}

void check_unsplit(Checker& checker, const GemmCase& problem, const std::vector<float>& got) {
  std::vector<double> want = problem.expected<kK, kK>();
  for (double& value : want) {
    value = value > 3.4028235e38 ? INFINITY : value;  // beyond float
  }
  checker.close("chunks that do not hold a row", got, want, 1e-5);
  const double small = want[8 * 16 + 5] * std::ldexp(1.0, 30);
  checker.close("small elements of a row", std::vector<float>{std::ldexp(got[8 * 16 + 5], 30)}, {small}, kFp32Class);
}

// One row alone has too many small elements, in the last of a thread's rows.
void check_one_lost_row(Checker& checker) {
  constexpr int kDepth = 96;
  GemmCase problem(gemm_shape(1, 128, 64, kDepth));
  for (int k = 0; k < kDepth; ++k) {
    problem.a[127 * kDepth + k] = k % 32 == 0 ? 1.0f : std::ldexp(std::fabs(problem.a[127 * kDepth + k]), -40);
    problem.b[5 * kDepth + k] = k % 32 == 0 ? 0.0f : std::fabs(problem.b[5 * kDepth + k]);
  }
  problem.bias[5] = 0.0f;
  const double want = problem.expected<kK, kK>()[127 * 64 + 5];
  const std::vector<float> got = product<Square, 1, kK, kK>(checker, problem);
  checker.close("one row of small elements", std::vector<float>{std::ldexp(got[127 * 64 + 5], 40)},
                {std::ldexp(want, 40)}, kFp32Class);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  const GemmCase ragged(gemm_shape(1, 67, 70, 45));
  check<Square, 1, kK, kK>(checker, ragged, kFp32Class);
  check<Narrow, 1, kK, kOuter>(checker, ragged, kFp32Class);
  check<Beside, 1, kOuter, kK>(checker, ragged, kFp32Class);
  check<Narrow, 1, kOuter, kOuter>(checker, ragged, kFp32Class);
  check<Square, 1, kK, kOuter>(checker, GemmCase(gemm_shape(1, 130, 132, 164)), 2 * kFp32Class);
  check<Narrow, 1, kK, kOuter>(checker, GemmCase(gemm_shape(2, 64, 64, 32)), kFp32Class);
  check<Narrow, 2, kK, kOuter>(checker, GemmCase(gemm_shape(2, 65, 68, 150)), 2 * kFp32Class);
  check<Beside, 4, kK, kK>(checker, GemmCase(gemm_shape(1, 70, 130, 97)), kFp32Class);  // a part of no depth
  check_split<Narrow, kK, kOuter>(checker, GemmCase(gemm_shape(2, 67, 70, 170)), 3, 2 * kFp32Class);
  check_kept<KeptSquare, 1, kK, kK>(checker, GemmCase(gemm_shape(1, 130, 136, 160)), 2 * kFp32Class);
  check_kept<KeptBeside, 1, kK, kOuter>(checker, ragged, kFp32Class);
  check_kept<KeptDeep, 1, kOuter, kK>(checker, ragged, kFp32Class);
  check_kept<KeptDeep, 4, kK, kK>(checker, GemmCase(gemm_shape(1, 70, 130, 290)), 4 * kFp32Class);
  check_kept<KeptSquare, 8, kK, kK>(checker, GemmCase(gemm_shape(1, 100, 72, 290)), 4 * kFp32Class);
  for_each_triangle<Narrow>(
      [&](const GemmCase& problem) { check<Narrow, 1, kK, kOuter>(checker, problem, kFp32Class); });
  check_scales(checker);
  const GemmCase unsplit = unsplit_problem();
  check_unsplit(checker, unsplit, product<Narrow, 1, kK, kK>(checker, unsplit));
  check_unsplit(checker, unsplit, product<Square, 2, kK, kK>(checker, unsplit));
  check_unsplit(checker, unsplit, kept_product<KeptBeside, 1, kK, kK>(checker, unsplit));
  check_one_lost_row(checker);
  return checker.finish();
}
