// SPDX-License-Identifier: Apache-2.0
// Reductions with few kept indices and long reduced axes (batch-norm statistics: kept = channel, reduced = batch and
// pixels): `splits` blocks share one kept index. Two stages through scratch, merged in a fixed order, so that the
// result is the same on every run. Loader and storer as in kernels/reduce/row.cuh and column.cuh.
//
// scratch: reduce_split_scratch_bytes<Accumulator>(kept, splits), i.e. kept * splits * (4 bytes for
// sum/max/min/product, 8 for log-sum-exp, 12 for Welford).
#pragma once

#include "kernels/reduce/column.cuh"

namespace stitch {

template <typename Accumulator>
constexpr int64_t reduce_split_scratch_bytes(int64_t kept, int64_t splits) {
  return kept * splits * static_cast<int64_t>(sizeof(Accumulator));
}

namespace reduce_detail {

// A whole number of vector accesses per part, so that every part starts aligned.
inline int64_t split_length(int64_t reduced, int64_t splits) { return round_up(ceil_divide(reduced, splits), 4); }

template <typename Accumulator, int kThreads, typename Load>
__global__ void __launch_bounds__(kThreads)
    split_rows_kernel(Load load, Accumulator* partials, ReduceShape shape, Divider splits, int64_t length) {
  const QuotientRemainder place = splits.divide(blockIdx.x);
  const int64_t begin = place.remainder * length;
  const int64_t end = begin + length < shape.reduced ? begin + length : shape.reduced;
  const Accumulator part = block_merge<kThreads>(accumulate_range<kThreads, Accumulator>(
      load, place.quotient, begin, end, shape.vectorised, static_cast<int>(threadIdx.x)));
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = part;
  }
}

// Partials of neighbouring kept indices stand side by side.
template <typename Accumulator, int kSharers, int kLanes, typename Load>
__global__ void __launch_bounds__(ColumnPlace<kSharers, kLanes>::kThreads)
    split_columns_kernel(Load load, Accumulator* partials, ReduceShape shape, Divider splits, int64_t length) {
  const QuotientRemainder block = splits.divide(blockIdx.x);
  const ColumnPlace<kSharers, kLanes> place(block.quotient);
  const bool is_kept = place.kept < shape.kept;
  const int64_t begin = block.remainder * length;
  const int64_t end = begin + length < shape.reduced ? begin + length : shape.reduced;
  auto totals =
      accumulate_lanes<Accumulator, kSharers, kLanes>(load, place.kept, begin, is_kept ? end : begin, place.sharer);
  merge_sharers<kSharers>(totals, place.column, place.sharer);
  if (place.sharer == 0 && is_kept) {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      partials[block.remainder * shape.kept + place.kept + lane] = totals.of[lane];
    }
  }
}

// Eight threads join the partials of a kept index.
template <typename Accumulator, typename Store>
__global__ void __launch_bounds__(256)
    join_column_partials_kernel(const Accumulator* partials, Store store, int64_t kept_count, int64_t splits) {
  constexpr int kJoiners = 8;
  const ColumnPlace<kJoiners, 1> place(blockIdx.x);
  LaneTotals<Accumulator, 1> totals;
  totals.clear();
  const bool is_kept = place.kept < kept_count;
#pragma unroll 4
  for (int64_t part = place.sharer; is_kept && part < splits; part += kJoiners) {
    totals.of[0].merge(partials[part * kept_count + place.kept]);
  }
  merge_sharers<kJoiners>(totals, place.column, place.sharer);
  if (place.sharer == 0 && is_kept) {
    store(place.kept, totals.of[0]);
  }
}

template <typename Accumulator, int kSharers, int kLanes, typename Load, typename Store>
cudaError_t launch_split_columns_of_lanes(const Load& load, const Store& store, const ReduceShape& shape,
                                          int64_t splits, Accumulator* partials, cudaStream_t stream) {
  using Place = ColumnPlace<kSharers, kLanes>;
  const int64_t length = split_length(shape.reduced, splits);
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.kept, Place::kKeptPerBlock) * splits);
  split_columns_kernel<Accumulator, kSharers, kLanes, Load>
      <<<blocks, Place::kThreads, 0, stream>>>(load, partials, shape, Divider(splits), length);
  const auto joining = static_cast<unsigned>(ceil_divide(shape.kept, kWarpThreads));
  join_column_partials_kernel<Accumulator, Store><<<joining, 256, 0, stream>>>(partials, store, shape.kept, splits);
  return cudaGetLastError();
}

// A block per kept index joins its partials.
template <typename Accumulator, int kThreads, typename Store>
__global__ void __launch_bounds__(kThreads)
    join_partials_kernel(const Accumulator* partials, Store store, int64_t splits) {
  const int64_t kept = blockIdx.x;
  Accumulator total = Accumulator::identity();
#pragma unroll 4
  for (int64_t part = threadIdx.x; part < splits; part += kThreads) {
    total.merge(partials[kept * splits + part]);
  }
  total = block_merge<kThreads>(total);
  if (threadIdx.x == 0) {
    store(kept, total);
  }
}

// A warp joins few partials; many would wait for one another there.
template <typename Accumulator, typename Store>
cudaError_t launch_join(const Accumulator* partials, const Store& store, int64_t kept, int64_t splits,
                        cudaStream_t stream) {
  constexpr int kManyThreads = 256;
  const auto blocks = static_cast<unsigned>(kept);
  if (splits <= 4 * kWarpThreads) {
    join_partials_kernel<Accumulator, kWarpThreads, Store>
        <<<blocks, kWarpThreads, 0, stream>>>(partials, store, splits);
  } else {
    join_partials_kernel<Accumulator, kManyThreads, Store>
        <<<blocks, kManyThreads, 0, stream>>>(partials, store, splits);
  }
  return cudaGetLastError();
}

}  // namespace reduce_detail

// The reduced axis is (mostly) contiguous.
template <typename Accumulator, int kThreads = 256, typename Load, typename Store>
cudaError_t launch_reduce_rows_split(const Load& load, const Store& store, const ReduceShape& shape, int64_t splits,
                                     void* scratch, cudaStream_t stream) {
  if (shape.kept == 0) {
    return cudaSuccess;
  }
  auto* partials = static_cast<Accumulator*>(scratch);
  const int64_t length = reduce_detail::split_length(shape.reduced, splits);
  reduce_detail::split_rows_kernel<Accumulator, kThreads, Load>
      <<<static_cast<unsigned>(shape.kept * splits), kThreads, 0, stream>>>(load, partials, shape, Divider(splits),
                                                                            length);
  return reduce_detail::launch_join(partials, store, shape.kept, splits, stream);
}

// The kept axis is contiguous: loader as in kernels/reduce/column.cuh.
template <typename Accumulator, int kSharers = 8, typename Load, typename Store>
cudaError_t launch_reduce_columns_split(const Load& load, const Store& store, const ReduceShape& shape, int64_t splits,
                                        void* scratch, cudaStream_t stream) {
  if (shape.kept == 0) {
    return cudaSuccess;
  }
  auto* partials = static_cast<Accumulator*>(scratch);
  if constexpr (reduce_detail::kTakesLanes<Load>) {
    if (shape.vectorised) {
      return reduce_detail::launch_split_columns_of_lanes<Accumulator, kSharers, 4>(load, store, shape, splits,
                                                                                    partials, stream);
    }
  }
  return reduce_detail::launch_split_columns_of_lanes<Accumulator, kSharers, 1>(load, store, shape, splits, partials,
                                                                                stream);
}

}  // namespace stitch
