// SPDX-License-Identifier: Apache-2.0
// Rewriting reductions (kernels/reduce/rewrite.cuh) of short rows whose reduced axis is (mostly) contiguous: some lanes
// of a warp share a row, and have four of them in flight together.
//
// Functors are called with (row, column).
// Settings: kThreads lanes of a row, 8, 16 or 32; kPerThread elements of a row each, a multiple of 4. A row has at most
// kThreads * kPerThread elements.
#pragma once

#include "kernels/common/rows_of_lanes.cuh"
#include "kernels/reduce/rewrite_rows.cuh"

namespace stitch {

namespace reduce_detail {

// What a thread has of a row. Every fourth element begins a group of neighbours.
template <typename Accumulator, typename Rows, int kPerThread, typename Term>
__device__ __forceinline__ Accumulator accumulate_lanes(const Rows& rows, int index, const Term& term, int64_t row,
                                                        int64_t columns) {
  float terms[kPerThread];
#pragma unroll
  for (int place = 0; place < kPerThread; ++place) {
    const int64_t column = Rows::column(place);
    terms[place] = term(row, column < columns ? column : columns - 1, rows.values[index][place]);
  }
  Accumulator total = Accumulator::identity();
  if (Rows::column(kPerThread - 1) < columns) {
    total.add(terms);
    return total;
  }
#pragma unroll
  for (int place = 0; place < kPerThread; ++place) {
    if (Rows::column(place) < columns) {
      const float one[1] = {terms[place]};
      total.add(one);
    }
  }
  return total;
}

template <typename Accumulator, int kThreads, int kPerThread, typename Load, typename Term, typename Store>
__global__ void __launch_bounds__(kLaneBlockThreads)
    rewrite_lanes_kernel(Load load, Term term, Store store, RowShape shape) {
  constexpr int kRowsPerPass = kLaneBlockThreads / kThreads;
  using Rows = RowsOfLanes<kThreads, kPerThread, kLaneRowsAtOnce>;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kRowsPerPass * kLaneRowsAtOnce + threadIdx.x / kThreads;
  // Lanes without a row of their own take part in their warp's sums.
  const auto row_at = [&](int i) { return first + i * kRowsPerPass; };
  const auto read_row = [&](int i) { return row_at(i) < shape.rows ? row_at(i) : shape.rows - 1; };
  Rows rows;
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    rows.read(i, load, read_row(i), shape.columns, shape.vectorised);
  }
#pragma unroll
  for (int i = 0; i < kLaneRowsAtOnce; ++i) {
    const Accumulator part = accumulate_lanes<Accumulator, Rows, kPerThread>(rows, i, term, read_row(i), shape.columns);
    const StoreWithTotal<Store, Accumulator> writer{store, warp_merge<kThreads>(part)};
    if (row_at(i) < shape.rows) {
      if (threadIdx.x % kThreads == 0) {
        writer.finish_row(row_at(i));
      }
      rows.write(i, writer, row_at(i), shape.columns, shape.vectorised);
    }
  }
}

}  // namespace reduce_detail

template <typename Accumulator, int kThreads, int kPerThread, typename Load, typename Term, typename Store>
cudaError_t launch_rewrite_lanes(const Load& load, const Term& term, const Store& store, const RowShape& shape,
                                 cudaStream_t stream) {
  static_assert(kThreads == 8 || kThreads == 16 || kThreads == 32, "lanes of one warp share a row");
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  if (shape.columns > int64_t{kThreads} * kPerThread) {
    return cudaErrorInvalidValue;
  }
  constexpr int64_t kRowsOfBlock = kLaneBlockThreads / kThreads * kLaneRowsAtOnce;
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kRowsOfBlock));
  reduce_detail::rewrite_lanes_kernel<Accumulator, kThreads, kPerThread, Load, Term, Store>
      <<<blocks, kLaneBlockThreads, 0, stream>>>(load, term, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
