// SPDX-License-Identifier: Apache-2.0
// The end of a GEMM block: accumulators, laid down in shared memory, go through the epilogue functor in rows, so that
// its own loads and stores are coalesced and its code appears once instead of once per accumulator.
#pragma once

#include "kernels/gemm/operands.cuh"
#include "kernels/gemm/raster.cuh"

namespace stitch {

// Computes outputs again that are not finite: `again` is float operator()(int64_t row, int64_t column). By all threads
// of the block, which must meet at a barrier before and after it.
template <int kRows, int kColumns, int kStride, int kThreads, typename Again>
__device__ __forceinline__ void repair_staged(float* staged, const Again& again, const GemmShape& shape,
                                              const BlockPlace& place) {
#pragma unroll 1
  for (int element = threadIdx.x; element < kRows * kColumns; element += kThreads) {
    const int64_t row = place.row + element / kColumns;
    const int64_t column = place.column + element % kColumns;
    float& value = staged[element / kColumns * kStride + element % kColumns];
    if (row < shape.m && column < shape.n && !isfinite(value)) {
      value = again(row, column);
    }
  }
}

// An epilogue may offer at_column(column), a functor (batch, row, value): what depends on the column is found once.
template <typename Epilogue>
__device__ __forceinline__ auto epilogue_at_column(const Epilogue& epilogue, int64_t column) {
  if constexpr (requires { epilogue.at_column(column); }) {
    return epilogue.at_column(column);
  } else {
    return [&epilogue, column](int64_t batch, int64_t row, float value) { epilogue(batch, row, column, value); };
  }
}

// staged: kRows x kColumns accumulators, kStride apart. row_of(staged row) is the row inside the tile.
template <int kRows, int kColumns, int kStride, int kThreads, typename RowOf, typename Epilogue>
__device__ __forceinline__ void apply_epilogue(const float* staged, const RowOf& row_of, const GemmShape& shape,
                                               const BlockPlace& place, int64_t batch, const Epilogue& epilogue) {
  constexpr int kLanes = 4;
  constexpr int kGroups = kColumns / kLanes;
  if constexpr (requires { epilogue.template lanes<kLanes>(batch, batch, batch, Lanes<float, kLanes>{}); }) {
    if (shape.epilogue_vectorised) {
#pragma unroll 2
      for (int group = threadIdx.x; group < kRows * kGroups; group += kThreads) {
        const int64_t row = place.row + row_of(group / kGroups);
        const int64_t column = place.column + group % kGroups * kLanes;
        if (row < shape.m && column < shape.n) {
          const float* values = staged + group / kGroups * kStride + group % kGroups * kLanes;
          epilogue.template lanes<kLanes>(batch, row, column, load_lanes<kLanes>(values));
        }
      }
      return;
    }
  }
  if constexpr (kThreads % kColumns == 0) {
    const int64_t column = place.column + threadIdx.x % kColumns;
    if (column >= shape.n) {
      return;
    }
    const auto epilogue_here = epilogue_at_column(epilogue, column);
#pragma unroll 4
    for (int staged_row = threadIdx.x / kColumns; staged_row < kRows; staged_row += kThreads / kColumns) {
      const int64_t row = place.row + row_of(staged_row);
      if (row < shape.m) {
        epilogue_here(batch, row, staged[staged_row * kStride + threadIdx.x % kColumns]);
      }
    }
  } else {
#pragma unroll 4
    for (int element = threadIdx.x; element < kRows * kColumns; element += kThreads) {
      const int64_t row = place.row + row_of(element / kColumns);
      const int64_t column = place.column + element % kColumns;
      if (row < shape.m && column < shape.n) {
        epilogue(batch, row, column, staged[element / kColumns * kStride + element % kColumns]);
      }
    }
  }
}

}  // namespace stitch
