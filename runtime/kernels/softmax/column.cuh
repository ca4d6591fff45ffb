// SPDX-License-Identifier: Apache-2.0
// softmax and log_softmax along an axis that is not contiguous: neighbouring threads take neighbouring rows, and
// kSharers warps share the columns of the same 32 rows. A thread keeps up to kPerThread columns of its row in
// registers, all of them loaded before the first is used; longer rows are read twice. Where one warp has whole rows,
// nobody waits for another.
//
// load, store: row functors (kernels/common/row.cuh), called for single elements only.
// Settings: kSharers a power of two up to 32, kPerThread a multiple of 4.
#pragma once

#include "kernels/reduce/column.cuh"
#include "kernels/softmax/row.cuh"

namespace stitch {

namespace softmax_detail {

// Of a block, so many times 32 rows where few warps share them.
template <int kSharers>
constexpr int kWarpsOfRows = kSharers == 1 ? 4 : 1;

// Joins the sharers of each row, in a fixed order; all of them get the result. Every thread of the block must call it.
template <int kSharers, typename Accumulator>
__device__ __forceinline__ Accumulator join_sharers(const Accumulator& part, int lane, int sharer) {
  if constexpr (kSharers == 1) {
    return part;
  }
  __shared__ Accumulator slots[kSharers][kWarpThreads];
  slots[sharer][lane] = part;
  __syncthreads();
  Accumulator total = slots[0][lane];
#pragma unroll
  for (int other = 1; other < kSharers; ++other) {
    total.merge(slots[other][lane]);
  }
  __syncthreads();  // the slots are free for the next call
  return total;
}

// A row's columns sharer, sharer + kSharers, ... in registers.
template <SoftmaxKind kKind, int kSharers, int kPerThread>
struct ColumnsInRegisters {
  static constexpr int64_t kCapacity = int64_t{kSharers} * kPerThread;
  int64_t columns;
  int sharer;
  float values[kPerThread];  // of softmax, after statistics(): their exponentials

  __device__ __forceinline__ int64_t column(int place) const { return sharer + int64_t{place} * kSharers; }
  __device__ __forceinline__ bool has(int place) const { return column(place) < columns; }

  // What is beyond the last column adds nothing to a maximum or a sum of exponentials. No load waits for a decision:
  // the last column is read instead of those beyond.
  template <typename Load>
  __device__ __forceinline__ void read(const Load& load, int64_t row) {
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      values[place] = load(row, has(place) ? column(place) : columns - 1);
    }
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      values[place] = has(place) ? values[place] : -INFINITY;
    }
  }

  __device__ __forceinline__ LogSumExpAccumulator statistics(int lane) {
    MaxAccumulator part_largest = MaxAccumulator::identity();
    part_largest.add(values);
    const float largest = join_sharers<kSharers>(part_largest, lane, sharer).value;
    SumAccumulator part_sum = SumAccumulator::identity();
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      const float exponential = expf(values[place] - largest);
      part_sum.sum += has(place) ? exponential : 0.0f;
      values[place] = kKind == SoftmaxKind::kSoftmax ? exponential : values[place];
    }
    return {largest, join_sharers<kSharers>(part_sum, lane, sharer).sum};
  }

  // scale: as of scale_of().
  __device__ __forceinline__ float result(int place, float largest, float scale) const {
    return kKind == SoftmaxKind::kSoftmax ? values[place] * scale : values[place] - largest - scale;
  }

  template <typename Store>
  __device__ __forceinline__ void write(const Store& store, int64_t row, float largest, float scale) const {
    if (has(kPerThread - 1)) {
#pragma unroll
      for (int place = 0; place < kPerThread; ++place) {
        store(row, column(place), result(place, largest, scale));
      }
      return;
    }
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      if (has(place)) {
        store(row, column(place), result(place, largest, scale));
      }
    }
  }
};

// The second half of both kinds: `scale` is what softmax multiplies with, and what log_softmax takes away.
template <SoftmaxKind kKind>
__device__ __forceinline__ float scale_of(const LogSumExpAccumulator& total) {
  return kKind == SoftmaxKind::kSoftmax ? 1.0f / total.sum : logf(total.sum);
}

template <SoftmaxKind kKind>
__device__ __forceinline__ float softmax_of(float value, float largest, float scale) {
  return kKind == SoftmaxKind::kSoftmax ? expf(value - largest) * scale : value - largest - scale;
}

// Rows that do not fit: the maximum and the sum in one pass, then a second one over what the caches still hold of it.
template <SoftmaxKind kKind, int kSharers, typename Load, typename Store>
__device__ __forceinline__ void stream_columns(const Load& load, const Store& store, const RowShape& shape, int64_t row,
                                               int lane, int sharer) {
  const bool is_row = row < shape.rows;
  const auto part = reduce_detail::accumulate_column<kSharers, LogSumExpAccumulator>(
      load, row, 0, is_row ? shape.columns : 0, sharer);
  const LogSumExpAccumulator total = join_sharers<kSharers>(part, lane, sharer);
  if (!is_row) {
    return;
  }
  const float scale = scale_of<kKind>(total);
#pragma unroll 8
  for (int64_t column = sharer; column < shape.columns; column += kSharers) {
    store(row, column, softmax_of<kKind>(load(row, column), total.largest, scale));
  }
}

template <SoftmaxKind kKind, int kSharers, int kPerThread, typename Load, typename Store>
__global__ void __launch_bounds__(kSharers* kWarpsOfRows<kSharers>* kWarpThreads)
    softmax_columns_kernel(Load load, Store store, RowShape shape) {
  const int lane = threadIdx.x % kWarpThreads;
  const int warp = threadIdx.x / kWarpThreads;
  const int sharer = warp % kSharers;
  const int64_t first = int64_t{blockIdx.x} * kWarpsOfRows<kSharers> + warp / kSharers;
  const int64_t row = first * kWarpThreads + lane;
  ColumnsInRegisters<kKind, kSharers, kPerThread> elements{shape.columns, sharer};
  if (shape.columns > elements.kCapacity) {
    stream_columns<kKind, kSharers>(load, store, shape, row, lane, sharer);
    return;
  }
  const bool is_row = row < shape.rows;
  elements.read(load, is_row ? row : shape.rows - 1);
  const LogSumExpAccumulator statistics = elements.statistics(lane);
  if (is_row) {
    elements.write(store, row, statistics.largest, scale_of<kKind>(statistics));
  }
}

}  // namespace softmax_detail

template <SoftmaxKind kKind, int kSharers, int kPerThread, typename Load, typename Store>
cudaError_t launch_softmax_columns(const Load& load, const Store& store, const RowShape& shape, cudaStream_t stream) {
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  constexpr int kWarpsOfRows = softmax_detail::kWarpsOfRows<kSharers>;
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kWarpsOfRows * kWarpThreads));
  softmax_detail::softmax_columns_kernel<kKind, kSharers, kPerThread, Load, Store>
      <<<blocks, kSharers * kWarpsOfRows * kWarpThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
