// SPDX-License-Identifier: Apache-2.0
// The end of a GEMM block: accumulators, laid down in shared memory, go through the epilogue functor in rows, so that
// its own loads and stores are coalesced and its code appears once instead of once per accumulator.
#pragma once

#include "kernels/gemm/operands.cuh"
#include "kernels/gemm/raster.cuh"

namespace stitch {

// What a result of the tensor cores may need; see kernels/gemm/mma_policy.cuh.
struct NoRepair {
  __device__ __forceinline__ float operator()(int64_t, int64_t, float value) const { return value; }
};

// staged: kRows x kColumns accumulators, kStride apart. row_of(staged row) is the row inside the tile.
// repair: float operator()(int64_t row, int64_t column, float accumulator).
template <int kRows, int kColumns, int kStride, int kThreads, typename RowOf, typename Repair, typename Epilogue>
__device__ __forceinline__ void apply_epilogue(const float* staged, const RowOf& row_of, const Repair& repair,
                                               const GemmShape& shape, const BlockPlace& place, int64_t batch,
                                               const Epilogue& epilogue) {
  constexpr int kLanes = 4;
  constexpr int kGroups = kColumns / kLanes;
  if constexpr (requires { epilogue.template lanes<kLanes>(batch, batch, batch, Lanes<float, kLanes>{}); }) {
    if (shape.epilogue_vectorised) {
#pragma unroll 2
      for (int group = threadIdx.x; group < kRows * kGroups; group += kThreads) {
        const int64_t row = place.row + row_of(group / kGroups);
        const int64_t column = place.column + group % kGroups * kLanes;
        if (row < shape.m && column < shape.n) {
          auto values = load_lanes<kLanes>(staged + group / kGroups * kStride + group % kGroups * kLanes);
#pragma unroll
          for (int lane = 0; lane < kLanes; ++lane) {
            values[lane] = repair(row, column + lane, values[lane]);
          }
          epilogue.template lanes<kLanes>(batch, row, column, values);
        }
      }
      return;
    }
  }
#pragma unroll 4
  for (int element = threadIdx.x; element < kRows * kColumns; element += kThreads) {
    const int64_t row = place.row + row_of(element / kColumns);
    const int64_t column = place.column + element % kColumns;
    if (row < shape.m && column < shape.n) {
      const float value = staged[element / kColumns * kStride + element % kColumns];
      epilogue(batch, row, column, repair(row, column, value));
    }
  }
}

}  // namespace stitch
