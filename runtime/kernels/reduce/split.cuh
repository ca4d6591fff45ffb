// SPDX-License-Identifier: Apache-2.0
// Reductions with few kept indices and long reduced axes (batch-norm statistics: kept = channel, reduced = batch and
// pixels): `splits` blocks share one kept index. Two stages through scratch, merged in a fixed order, so that the
// result is the same on every run. Loader and storer as in kernels/reduce/row.cuh.
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

template <typename Accumulator, int kSharers, typename Load>
__global__ void __launch_bounds__(kSharers* kWarpThreads)
    split_columns_kernel(Load load, Accumulator* partials, ReduceShape shape, Divider splits, int64_t length) {
  const QuotientRemainder place = splits.divide(blockIdx.x);
  const int column = threadIdx.x % kWarpThreads;
  const int sharer = threadIdx.x / kWarpThreads;
  const int64_t kept = place.quotient * kWarpThreads + column;
  const int64_t begin = place.remainder * length;
  const int64_t end = begin + length < shape.reduced ? begin + length : shape.reduced;
  Accumulator part = Accumulator::identity();
  if (kept < shape.kept) {
    part = accumulate_column<kSharers, Accumulator>(load, kept, begin, end, sharer);
  }
  part = merge_sharers<kSharers>(part, column, sharer);
  if (sharer == 0 && kept < shape.kept) {
    partials[kept * splits.divisor() + place.remainder] = part;
  }
}

// One warp per kept index joins its partials.
template <typename Accumulator, typename Store>
__global__ void __launch_bounds__(kWarpThreads)
    join_partials_kernel(const Accumulator* partials, Store store, int64_t splits) {
  const int64_t kept = blockIdx.x;
  Accumulator total = Accumulator::identity();
  for (int64_t part = threadIdx.x; part < splits; part += kWarpThreads) {
    total.merge(partials[kept * splits + part]);
  }
  total = warp_merge<kWarpThreads>(total);
  if (threadIdx.x == 0) {
    store(kept, total);
  }
}

template <typename Accumulator, typename Store>
cudaError_t launch_join(const Accumulator* partials, const Store& store, int64_t kept, int64_t splits,
                        cudaStream_t stream) {
  join_partials_kernel<Accumulator, Store>
      <<<static_cast<unsigned>(kept), kWarpThreads, 0, stream>>>(partials, store, splits);
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

// The kept axis is contiguous.
template <typename Accumulator, int kSharers = 8, typename Load, typename Store>
cudaError_t launch_reduce_columns_split(const Load& load, const Store& store, const ReduceShape& shape, int64_t splits,
                                        void* scratch, cudaStream_t stream) {
  if (shape.kept == 0) {
    return cudaSuccess;
  }
  auto* partials = static_cast<Accumulator*>(scratch);
  const int64_t length = reduce_detail::split_length(shape.reduced, splits);
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.kept, kWarpThreads) * splits);
  reduce_detail::split_columns_kernel<Accumulator, kSharers, Load>
      <<<blocks, kSharers * kWarpThreads, 0, stream>>>(load, partials, shape, Divider(splits), length);
  return reduce_detail::launch_join(partials, store, shape.kept, splits, stream);
}

}  // namespace stitch
