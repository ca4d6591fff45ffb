// SPDX-License-Identifier: Apache-2.0
// The tensor-core GEMM on 16-bit operands: pairs along and across K and the converting path, ragged and odd extents,
// split K, a batch, infinities; and the plain GEMM reading them.
#include "gemm_support.cuh"
#include "kernels/gemm/ffma.cuh"
#include "kernels/gemm/mma_16bit.cuh"
#include "support_16bit.cuh"

namespace {

using namespace stitch_test;

constexpr Layout kK = Layout::kContiguousK;
constexpr Layout kOuter = Layout::kContiguousOuter;
constexpr double kSumsInFloat = 1e-5;  // products are exact, sums are in fp32

template <typename T>
StridedMatrix<T> stored_as(const StridedMatrix<float>& like, const T* data) {
  return {data, like.batch_stride, like.row_stride, like.column_stride};
}

template <typename T, typename Tile, Layout kLayoutA, Layout kLayoutB>
void check(Checker& checker, GemmCase problem, int64_t splits = 1) {
  round_to<T>(problem.a);
  round_to<T>(problem.b);
  const GemmShape& shape = problem.shape;
  const DeviceValues<T> a(problem.a);
  const DeviceValues<T> b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const DeviceFloats scratch(splits * shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  const StridedMatrix<T> view_a = stored_as(matrix_a<kLayoutA>(nullptr, shape), a.data());
  const StridedMatrix<T> view_b = stored_as(matrix_b<kLayoutB>(nullptr, shape), b.data());
  const cudaError_t error =
      splits == 1 ? launch_gemm_mma_16bit<Tile, kLayoutA, kLayoutB>(shape, view_a, view_b, epilogue, nullptr)
                  : launch_gemm_mma_16bit_split_k<Tile, kLayoutA, kLayoutB>(shape, view_a, view_b, epilogue, splits,
                                                                            scratch.data(), nullptr);
  checker.launched("16-bit", error);
  checker.close(problem.name("16-bit"), c.values(), problem.expected<kLayoutA, kLayoutB>(), kSumsInFloat);
}

template <typename T>
void check_ffma(Checker& checker, GemmCase problem) {
  round_to<T>(problem.a);
  round_to<T>(problem.b);
  const GemmShape& shape = problem.shape;
  const DeviceValues<T> a(problem.a);
  const DeviceValues<T> b(problem.b);
  const DeviceFloats bias(problem.bias);
  const DeviceFloats c(shape.batch * shape.m * shape.n);
  const BiasRelu epilogue{c.data(), bias.data(), shape.m, shape.n};
  checker.launched("ffma", launch_gemm_ffma<FfmaTileSmall, kK, kOuter>(
                               shape, stored_as(matrix_a<kK>(nullptr, shape), a.data()),
                               stored_as(matrix_b<kOuter>(nullptr, shape), b.data()), epilogue, nullptr));
  checker.close(problem.name("ffma 16-bit"), c.values(), problem.expected<kK, kOuter>(), kSumsInFloat);
}

template <typename T>
void check_infinities(Checker& checker) {
  GemmCase problem(gemm_shape(1, 16, 16, 40));
  problem.a[3 * 40 + 5] = INFINITY;
  problem.a[4 * 40 + 6] = NAN;
  problem.b[9 * 40 + 5] = 0.0f;  // infinity times zero
  check<T, MmaTileSmall, kK, kK>(checker, problem);
  check<T, MmaTileSmall, kK, kOuter>(checker, problem);
}

template <typename T>
void check_all(Checker& checker) {
  const GemmCase odd(gemm_shape(1, 67, 70, 45));
  const GemmCase pairs(gemm_shape(1, 67, 70, 90));  // pairs, but rows that are not 16-byte aligned
  const GemmCase aligned(gemm_shape(2, 64, 64, 128));
  check<T, MmaTileMedium, kK, kK>(checker, odd);
  check<T, MmaTileMedium, kK, kK>(checker, pairs);
  check<T, MmaTileMedium, kK, kK>(checker, aligned);
  check<T, MmaTileMedium, kK, kOuter>(checker, odd);
  check<T, MmaTileMedium, kOuter, kK>(checker, aligned);
  check<T, MmaTileMedium, kK, kOuter>(checker, pairs);
  check<T, MmaTileSmall, kOuter, kOuter>(checker, GemmCase(gemm_shape(2, 72, 88, 75)));  // 16 bytes, ragged, K odd
  check<T, MmaTileBroad, kK, kOuter>(checker, GemmCase(gemm_shape(1, 70, 136, 152)));
  check<T, MmaTileMedium, kOuter, kOuter>(checker, odd);
  check<T, MmaTileLarge, kK, kK>(checker, GemmCase(gemm_shape(1, 130, 129, 34)));
  check<T, MmaTileSmall, kK, kK>(checker, GemmCase(gemm_shape(1, 5, 3, 2)));
  check<T, MmaTileSmall, kK, kK>(checker, GemmCase(gemm_shape(2, 20, 36, 300)), 4);
  check<T, MmaTileSmall, kK, kOuter>(checker, GemmCase(gemm_shape(2, 20, 36, 301)), 4);
  check_ffma<T>(checker, odd);
  check_ffma<T>(checker, aligned);
  check_infinities<T>(checker);
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_all<__half>(checker);
  check_all<__nv_bfloat16>(checker);
  return checker.finish();
}
