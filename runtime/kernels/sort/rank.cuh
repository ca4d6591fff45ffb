// SPDX-License-Identifier: Apache-2.0
// Short rows: each element's thread counts those that come before it. One launch, no barrier; work grows with the
// square of the row.
#pragma once

#include "kernels/sort/shape.cuh"

namespace stitch {
namespace sort_detail {

constexpr int kRankThreads = 256;

template <typename T, bool kDescending, typename Load, typename Store>
__global__ void __launch_bounds__(kRankThreads)
    sort_by_rank_kernel(Load load, Store store, SortShape shape, Divider columns) {
  const int64_t element = static_cast<int64_t>(blockIdx.x) * kRankThreads + threadIdx.x;
  if (element >= shape.rows * shape.columns) {
    return;
  }
  const QuotientRemainder at = columns.divide(element);
  const Placed<T> own{load(at.quotient, at.remainder), at.remainder};
  int64_t rank = 0;
  for (int64_t column = 0; column < shape.columns; ++column) {
    rank += precedes<kDescending>(Placed<T>{load(at.quotient, column), column}, own) ? 1 : 0;
  }
  if (rank < shape.kept) {
    store(at.quotient, rank, own.value, own.position);
  }
}

}  // namespace sort_detail

template <typename T, bool kDescending, typename Load, typename Store>
cudaError_t launch_sort_by_rank(const Load& load, const Store& store, const SortShape& shape, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows * shape.columns, sort_detail::kRankThreads));
  sort_detail::sort_by_rank_kernel<T, kDescending, Load, Store>
      <<<blocks, sort_detail::kRankThreads, 0, stream>>>(load, store, shape, Divider(shape.columns));
  return cudaGetLastError();
}

}  // namespace stitch
