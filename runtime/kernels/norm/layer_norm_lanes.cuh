// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of short rows, as kernels/norm/layer_norm.cuh: some lanes of a warp share a row, and have four of
// them in flight together.
//
// load, store: row functors (kernels/common/row.cuh).
// Settings: kThreads lanes of a row, 8, 16 or 32; kPerThread elements of a row each, a multiple of 4. A row has at most
// kThreads * kPerThread elements.
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/rows_of_lanes.cuh"

namespace stitch {

namespace layer_norm_detail {

template <int kThreads, int kPerThread, typename Load, typename Store>
__global__ void __launch_bounds__(kLaneBlockThreads)
    layer_norm_lanes_kernel(Load load, Store store, RowShape shape, float epsilon) {
  constexpr int kRowsPerPass = kLaneBlockThreads / kThreads;
  using Rows = RowsOfLanes<kThreads, kPerThread, kLaneRowsAtOnce>;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kRowsPerPass * kLaneRowsAtOnce + threadIdx.x / kThreads;
  const auto row_at = [&](int i) { return first + i * kRowsPerPass; };
  Rows rows;
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    // Lanes without a row of their own take part in their warp's sums.
    rows.read(i, load, row_at(i) < shape.rows ? row_at(i) : shape.rows - 1, shape.columns, shape.vectorised);
  }
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    rows.normalise(i, shape.columns, epsilon);
  }
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    if (row_at(i) < shape.rows) {
      rows.write(i, store, row_at(i), shape.columns, shape.vectorised);
    }
  }
}

}  // namespace layer_norm_detail

template <int kThreads, int kPerThread, typename Load, typename Store>
cudaError_t launch_layer_norm_lanes(const Load& load, const Store& store, const RowShape& shape, float epsilon,
                                    cudaStream_t stream) {
  static_assert(kThreads == 8 || kThreads == 16 || kThreads == 32, "lanes of one warp share a row");
  using namespace layer_norm_detail;
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  if (shape.columns > int64_t{kThreads} * kPerThread) {
    return cudaErrorInvalidValue;
  }
  constexpr int64_t kRowsOfBlock = kLaneBlockThreads / kThreads * kLaneRowsAtOnce;
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kRowsOfBlock));
  layer_norm_lanes_kernel<kThreads, kPerThread, Load, Store>
      <<<blocks, kLaneBlockThreads, 0, stream>>>(load, store, shape, epsilon);
  return cudaGetLastError();
}

}  // namespace stitch
