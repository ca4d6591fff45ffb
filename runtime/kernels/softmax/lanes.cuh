// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax over short rows, as kernels/softmax/row.cuh: some lanes of a warp share a row, and have four
// of them in flight together.
//
// load, store: row functors (kernels/common/row.cuh).
// Settings: kThreads lanes of a row, 8, 16 or 32; kPerThread elements of a row each, a multiple of 4. A row has at most
// kThreads * kPerThread elements.
#pragma once

#include "kernels/common/rows_of_lanes.cuh"
#include "kernels/softmax/row.cuh"

namespace stitch {

namespace softmax_detail {

// Row `index` in place. Every lane of the warp must call it.
template <SoftmaxKind kKind, int kThreads, int kPerThread>
__device__ __forceinline__ void take_softmax(RowsOfLanes<kThreads, kPerThread, kLaneRowsAtOnce>& rows, int index,
                                             int64_t columns) {
  float(&values)[kPerThread] = rows.values[index];
  MaxAccumulator largest = MaxAccumulator::identity();
  largest.add(values);  // beyond the row lie elements of it
  largest = warp_merge<kThreads>(largest);
  SumAccumulator sum = SumAccumulator::identity();
#pragma unroll
  for (int place = 0; place < kPerThread; ++place) {
    const float exponential = expf(values[place] - largest.value);
    sum.sum += rows.column(place) < columns ? exponential : 0.0f;
    values[place] = kKind == SoftmaxKind::kSoftmax ? exponential : values[place] - largest.value;
  }
  sum = warp_merge<kThreads>(sum);
  const float rest = kKind == SoftmaxKind::kSoftmax ? 1.0f / sum.sum : logf(sum.sum);
#pragma unroll
  for (int place = 0; place < kPerThread; ++place) {
    values[place] = kKind == SoftmaxKind::kSoftmax ? values[place] * rest : values[place] - rest;
  }
}

template <SoftmaxKind kKind, int kThreads, int kPerThread, typename Load, typename Store>
__global__ void __launch_bounds__(kLaneBlockThreads) softmax_lanes_kernel(Load load, Store store, RowShape shape) {
  constexpr int kRowsPerPass = kLaneBlockThreads / kThreads;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kRowsPerPass * kLaneRowsAtOnce + threadIdx.x / kThreads;
  const auto row_at = [&](int i) { return first + i * kRowsPerPass; };
  RowsOfLanes<kThreads, kPerThread, kLaneRowsAtOnce> rows;
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    // Lanes without a row of their own take part in their warp's sums.
    rows.read(i, load, row_at(i) < shape.rows ? row_at(i) : shape.rows - 1, shape.columns, shape.vectorised);
  }
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    take_softmax<kKind, kThreads, kPerThread>(rows, i, shape.columns);
  }
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    if (row_at(i) < shape.rows) {
      rows.write(i, store, row_at(i), shape.columns, shape.vectorised);
    }
  }
}

}  // namespace softmax_detail

template <SoftmaxKind kKind, int kThreads, int kPerThread, typename Load, typename Store>
cudaError_t launch_softmax_lanes(const Load& load, const Store& store, const RowShape& shape, cudaStream_t stream) {
  static_assert(kThreads == 8 || kThreads == 16 || kThreads == 32, "lanes of one warp share a row");
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  if (shape.columns > int64_t{kThreads} * kPerThread) {
    return cudaErrorInvalidValue;
  }
  constexpr int64_t kRowsOfBlock = kLaneBlockThreads / kThreads * kLaneRowsAtOnce;
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kRowsOfBlock));
  softmax_detail::softmax_lanes_kernel<kKind, kThreads, kPerThread, Load, Store>
      <<<blocks, kLaneBlockThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
