// SPDX-License-Identifier: Apache-2.0
// The first few of a row in order, one pass each: every pass finds the first element that comes after the one found
// before. For a handful of a row of any length.
#pragma once

#include "kernels/sort/shape.cuh"

namespace stitch {
namespace sort_detail {

template <typename T, bool kDescending>
struct FirstInOrder {
  Placed<T> first;  // position -1: none

  __device__ __forceinline__ void merge(const FirstInOrder& other) {
    if (other.first.position >= 0 && (first.position < 0 || precedes<kDescending>(other.first, first))) {
      first = other.first;
    }
  }
};

template <typename T, bool kDescending, int kThreadsPerRow, typename Load, typename Store>
__global__ void __launch_bounds__(kRowBlockThreads<kThreadsPerRow>)
    select_kernel(Load load, Store store, SortShape shape) {
  constexpr int kRowsPerBlock = kRowBlockThreads<kThreadsPerRow> / kThreadsPerRow;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kThreadsPerRow;
  if (row >= shape.rows) {
    return;  // whole warps leave together: with several rows a block, a row is one warp or one thread
  }
  Placed<T> last{T(), -1};
  for (int64_t rank = 0; rank < shape.kept; ++rank) {
    FirstInOrder<T, kDescending> found{{T(), -1}};
    for (int64_t column = threadIdx.x % kThreadsPerRow; column < shape.columns; column += kThreadsPerRow) {
      const Placed<T> candidate{load(row, column), column};
      if (last.position < 0 || precedes<kDescending>(last, candidate)) {
        found.merge({candidate});
      }
    }
    if constexpr (kThreadsPerRow > kWarpThreads) {
      found = block_merge<kThreadsPerRow>(found);
    } else if constexpr (kThreadsPerRow > 1) {
      found = warp_merge<kThreadsPerRow>(found);
    }
    last = found.first;
    if (threadIdx.x % kThreadsPerRow == 0) {
      store(row, rank, last.value, last.position);
    }
  }
}

}  // namespace sort_detail

// kThreadsPerRow: 1, 32 or 128..1024.
template <typename T, bool kDescending, int kThreadsPerRow, typename Load, typename Store>
cudaError_t launch_select(const Load& load, const Store& store, const SortShape& shape, cudaStream_t stream) {
  constexpr int kBlockThreads = kRowBlockThreads<kThreadsPerRow>;
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kBlockThreads / kThreadsPerRow));
  sort_detail::select_kernel<T, kDescending, kThreadsPerRow, Load, Store>
      <<<blocks, kBlockThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
