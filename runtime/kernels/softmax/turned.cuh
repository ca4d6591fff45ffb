// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax of rows whose elements are neighbours where they are read, and whose rows are neighbours
// where they are written: over channels that come last, written with channels first. A block takes 32 rows, each read
// by one warp, and turns them in shared memory.
//
// load: a row functor (kernels/common/row.cuh). store is called with neighbouring rows by neighbouring threads.
// Settings: kPerThread a multiple of 4 up to 8; rows longer than 32 times that are read twice and not turned.
#pragma once

#include "kernels/softmax/row.cuh"

namespace stitch {

namespace softmax_detail {

constexpr int kTurnedRows = 32;
constexpr int kTurnedWarps = 8;

struct TileRowStore {
  float* row;
  __device__ __forceinline__ void operator()(int64_t, int64_t column, float value) const { row[column] = value; }
};

// What becomes of an element, by its row's statistics; a softmax that is resident holds exponentials.
template <SoftmaxKind kKind, bool kIsExponential>
struct FinishElement {
  float largest;
  float last;  // what is multiplied by, or subtracted

  __device__ __forceinline__ explicit FinishElement(const LogSumExpAccumulator& row)
      : largest(row.largest), last(kKind == SoftmaxKind::kSoftmax ? 1.0f / row.sum : logf(row.sum)) {}
  __device__ __forceinline__ float operator()(float value) const {
    if constexpr (kKind == SoftmaxKind::kLogSoftmax) {
      return value - largest - last;
    } else {
      return (kIsExponential ? value : expf(value - largest)) * last;
    }
  }
};

template <SoftmaxKind kKind, typename Row>
__device__ __forceinline__ void keep_row(Row& elements, float* row) {
  const FinishElement<kKind, true> finish(row_statistics<kKind, kWarpThreads>(elements));
  elements.write_resident(TileRowStore{row}, finish);
}

// Rows that are too long for registers, each written by the warp that has read it.
template <SoftmaxKind kKind, typename Row, typename Load, typename Store>
__device__ __forceinline__ void stream_turned_rows(const Load& load, const Store& store, const RowShape& shape,
                                                   int64_t first) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
#pragma unroll 1
  for (int64_t row = first + threadIdx.x / kWarpThreads; row < first + kTurnedRows && row < shape.rows;
       row += kTurnedWarps) {
    Row elements(load, shape, row, lane);
    const FinishElement<kKind, false> finish(row_statistics<kKind, kWarpThreads>(elements));
    elements.write_streamed(store, finish);
  }
}

template <SoftmaxKind kKind, int kPerThread, typename Load, typename Store>
__global__ void __launch_bounds__(kTurnedWarps* kWarpThreads, kPerThread > 4 ? 2 : 4)
    softmax_turned_kernel(Load load, Store store, RowShape shape) {
  using Row = RowInRegisters<kWarpThreads, kPerThread, Load>;
  constexpr int kPitch = kWarpThreads * kPerThread + 1;
  constexpr int kRowsOfWarp = kTurnedRows / kTurnedWarps;
  __shared__ float tile[kTurnedRows * kPitch];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * kTurnedRows;
  if (shape.columns > Row::kCapacity) {
    stream_turned_rows<kKind, Row>(load, store, shape, first);
    return;
  }
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
  const int64_t last = shape.rows - 1;
#pragma unroll
  for (int place = 0; place < kRowsOfWarp; place += 2) {  // two rows under way at a time
    const int64_t upper = first + warp * kRowsOfWarp + place;
    Row above(load, shape, upper < last ? upper : last, lane, 0);
    Row below(load, shape, upper + 1 < last ? upper + 1 : last, lane, 0);
    float* const kept = tile + (warp * kRowsOfWarp + place) * kPitch;
    keep_row<kKind>(above, kept);
    keep_row<kKind>(below, kept + kPitch);
  }
  __syncthreads();
  const int64_t row = first + lane;
  if (row > last) {
    return;
  }
#pragma unroll 4
  for (int column = warp; column < static_cast<int>(shape.columns); column += kTurnedWarps) {
    store(row, column, tile[lane * kPitch + column]);
  }
}

}  // namespace softmax_detail

template <SoftmaxKind kKind, int kPerThread, typename Load, typename Store>
cudaError_t launch_softmax_turned(const Load& load, const Store& store, const RowShape& shape, cudaStream_t stream) {
  using namespace softmax_detail;
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kTurnedRows));
  softmax_turned_kernel<kKind, kPerThread><<<blocks, kTurnedWarps * kWarpThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
