// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows: (x - mean) / sqrt(variance + epsilon), mean and variance by two passes over a row that
// stays in registers. Rows beyond kThreads * kPerThread elements are read twice, mean and variance found in one pass.
//
// load, store: row functors (kernels/common/row.cuh). A residual addition belongs into load; scale, shift and whatever
// follows belong into store, which gets the normalised value.
// Settings: kThreads per row: 32 (four rows a block) or 128..1024; kPerThread a multiple of 4.
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/row_in_registers.cuh"
#include "kernels/reduce/accumulators.cuh"

namespace stitch {

namespace layer_norm_detail {

struct Moments {
  float mean;
  float variance;
};

template <int kThreads, typename Row>
__device__ __forceinline__ Moments row_moments(Row& elements, int64_t columns) {
  if (!elements.is_resident()) {
    const auto total = row_merge<kThreads>(elements.template accumulate_streamed<WelfordAccumulator>());
    return {total.mean, total.variance(0.0f)};
  }
  const float inverse_count = 1.0f / static_cast<float>(columns);
  SumAccumulator part = SumAccumulator::identity();
  elements.for_each([&](float value) { part.sum += value; });
  const float mean = row_merge<kThreads>(part).sum * inverse_count;
  part = SumAccumulator::identity();
  elements.for_each([&](float value) { part.sum += square(value - mean); });
  return {mean, row_merge<kThreads>(part).sum * inverse_count};
}

template <int kThreads, int kPerThread, typename Load, typename Store>
__global__ void __launch_bounds__(kRowBlockThreads<kThreads>, kRowBlocks<kThreads, kPerThread>)
    layer_norm_kernel(Load load, Store store, RowShape shape, float epsilon) {
  constexpr int kRowsPerBlock = kRowBlockThreads<kThreads> / kThreads;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kThreads;
  if (row >= shape.rows) {
    return;  // whole warps leave together: with several rows a block, a row is one warp
  }
  RowInRegisters<kThreads, kPerThread, Load> elements(load, shape, row, threadIdx.x % kThreads);
  const auto [mean, variance] = row_moments<kThreads>(elements, shape.columns);
  const float scale = 1.0f / sqrtf(variance + epsilon);
  elements.write(store, [mean = mean, scale](float value) { return (value - mean) * scale; });
}

}  // namespace layer_norm_detail

template <int kThreads, int kPerThread, typename Load, typename Store>
cudaError_t launch_layer_norm(const Load& load, const Store& store, const RowShape& shape, float epsilon,
                              cudaStream_t stream) {
  static_assert(kThreads == 32 || kThreads >= 128, "a row is shared by one warp or by a whole block");
  constexpr int kBlockThreads = kRowBlockThreads<kThreads>;
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kBlockThreads / kThreads));
  layer_norm_detail::layer_norm_kernel<kThreads, kPerThread, Load, Store>
      <<<blocks, kBlockThreads, 0, stream>>>(load, store, shape, epsilon);
  return cudaGetLastError();
}

}  // namespace stitch
