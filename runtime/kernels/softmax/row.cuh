// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax over rows. A row that fits stays in registers and is read once; a longer one is read twice,
// its maximum and sum found online in one pass.
//
// load, store: row functors (kernels/common/row.cuh); scale and mask belong into load, what follows into store.
// Settings: kThreads per row: 32 (four rows a block) or 128..1024; kPerThread a multiple of 4.
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/row_in_registers.cuh"
#include "kernels/reduce/accumulators.cuh"
#include "ptx/extremes.cuh"

namespace stitch {

enum class SoftmaxKind { kSoftmax, kLogSoftmax };

namespace softmax_detail {

// Maximum and sum of exponentials of a row; with the row in registers two passes are cheaper than the online rule.
// Softmax then keeps the exponentials in place of the elements.
template <SoftmaxKind kKind, int kThreads, typename Row>
__device__ __forceinline__ LogSumExpAccumulator row_statistics(Row& elements) {
  if (!elements.is_resident()) {
    return row_merge<kThreads>(elements.template accumulate_streamed<LogSumExpAccumulator>());
  }
  MaxAccumulator part_largest = MaxAccumulator::identity();
  elements.for_each([&](float value) { part_largest.value = ptx::largest(value, part_largest.value); });
  const float largest = row_merge<kThreads>(part_largest).value;
  SumAccumulator part_sum = SumAccumulator::identity();
  elements.for_each([&](float& value) {
    const float exponential = expf(value - largest);
    part_sum.sum += exponential;
    value = kKind == SoftmaxKind::kSoftmax ? exponential : value;
  });
  return {largest, row_merge<kThreads>(part_sum).sum};
}

template <SoftmaxKind kKind, int kThreads, int kPerThread, typename Load, typename Store>
__global__ void __launch_bounds__(kRowBlockThreads<kThreads>, kRowBlocks<kThreads, kPerThread>)
    softmax_kernel(Load load, Store store, RowShape shape) {
  constexpr int kRowsPerBlock = kRowBlockThreads<kThreads> / kThreads;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kThreads;
  if (row >= shape.rows) {
    return;  // whole warps leave together: with several rows a block, a row is one warp
  }
  RowInRegisters<kThreads, kPerThread, Load> elements(load, shape, row, threadIdx.x % kThreads);
  const LogSumExpAccumulator statistics = row_statistics<kKind, kThreads>(elements);
  const float largest = statistics.largest;
  if constexpr (kKind == SoftmaxKind::kSoftmax) {
    const float scale = 1.0f / statistics.sum;
    if (elements.is_resident()) {
      elements.write_resident(store, [=](float exponential) { return exponential * scale; });
    } else {
      elements.write_streamed(store, [=](float value) { return expf(value - largest) * scale; });
    }
  } else {
    const float log_sum = logf(statistics.sum);
    elements.write(store, [=](float value) { return value - largest - log_sum; });
  }
}

}  // namespace softmax_detail

template <SoftmaxKind kKind, int kThreads, int kPerThread, typename Load, typename Store>
cudaError_t launch_softmax(const Load& load, const Store& store, const RowShape& shape, cudaStream_t stream) {
  static_assert(kThreads == 32 || kThreads >= 128, "a row is shared by one warp or by a whole block");
  constexpr int kBlockThreads = kRowBlockThreads<kThreads>;
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kBlockThreads / kThreads));
  softmax_detail::softmax_kernel<kKind, kThreads, kPerThread, Load, Store>
      <<<blocks, kBlockThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
