// SPDX-License-Identifier: Apache-2.0
// Reductions whose kept axis is contiguous: neighbouring threads take neighbouring kept indices, and kSharers warps
// share the reduced axis of the same 32 kept indices. Loader and storer as in kernels/reduce/row.cuh (scalar only).
#pragma once

#include "kernels/reduce/row.cuh"

namespace stitch {

namespace reduce_detail {

template <int kSharers, typename Accumulator, typename Load>
__device__ __forceinline__ Accumulator accumulate_column(const Load& load, int64_t kept, int64_t begin, int64_t end,
                                                         int sharer) {
  constexpr int kUnroll = 4;
  Accumulator accumulator = Accumulator::identity();
  int64_t at = begin + sharer;
  for (; at + (kUnroll - 1) * kSharers < end; at += kUnroll * kSharers) {
    float values[kUnroll];
#pragma unroll
    for (int group = 0; group < kUnroll; ++group) {
      values[group] = load(kept, at + group * kSharers);
    }
    accumulator.add(values);
  }
  for (; at < end; at += kSharers) {
    const float value[1] = {load(kept, at)};
    accumulator.add(value);
  }
  return accumulator;
}

// Joins the sharers of each kept index; the result is valid in warp 0. One call per kernel.
template <int kSharers, typename Accumulator>
__device__ __forceinline__ Accumulator merge_sharers(Accumulator accumulator, int column, int sharer) {
  __shared__ Accumulator slots[kSharers][kWarpThreads];
  slots[sharer][column] = accumulator;
  __syncthreads();
  if (sharer == 0) {
    for (int other = 1; other < kSharers; ++other) {
      accumulator.merge(slots[other][column]);
    }
  }
  return accumulator;
}

template <typename Accumulator, int kSharers, typename Load, typename Store>
__global__ void __launch_bounds__(kSharers* kWarpThreads)
    reduce_columns_kernel(Load load, Store store, ReduceShape shape) {
  const int column = threadIdx.x % kWarpThreads;
  const int sharer = threadIdx.x / kWarpThreads;
  const int64_t kept = static_cast<int64_t>(blockIdx.x) * kWarpThreads + column;
  Accumulator total = Accumulator::identity();
  if (kept < shape.kept) {
    total = accumulate_column<kSharers, Accumulator>(load, kept, 0, shape.reduced, sharer);
  }
  total = merge_sharers<kSharers>(total, column, sharer);
  if (sharer == 0 && kept < shape.kept) {
    store(kept, total);
  }
}

}  // namespace reduce_detail

template <typename Accumulator, int kSharers = 8, typename Load, typename Store>
cudaError_t launch_reduce_columns(const Load& load, const Store& store, const ReduceShape& shape, cudaStream_t stream) {
  if (shape.kept == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.kept, kWarpThreads));
  reduce_detail::reduce_columns_kernel<Accumulator, kSharers, Load, Store>
      <<<blocks, kSharers * kWarpThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
