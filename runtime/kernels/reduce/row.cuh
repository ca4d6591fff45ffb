// SPDX-License-Identifier: Apache-2.0
// Reductions whose reduced axis is (mostly) contiguous: kThreadsPerRow threads share a row.
//
// load: a row loader (kernels/common/row.cuh) called as load(kept, reduced).
// store: void operator()(int64_t kept, const Accumulator& total) const, called by one thread per kept index.
// kThreadsPerRow: a power of two. Up to 32, several rows share a block (short rows); above, a block has one row.
#pragma once

#include "kernels/common/row_range.cuh"
#include "kernels/reduce/accumulators.cuh"

namespace stitch {

struct ReduceShape {
  int64_t kept;
  int64_t reduced;
  bool vectorised;  // reduced % 4 == 0 and load.lanes<4>(kept, multiple of 4) is aligned, see RowShape
};

namespace reduce_detail {

template <typename Accumulator, int kThreadsPerRow, typename Load, typename Store>
__global__ void __launch_bounds__(kRowBlockThreads<kThreadsPerRow>)
    reduce_rows_kernel(Load load, Store store, ReduceShape shape) {
  constexpr int kRowsPerBlock = kRowBlockThreads<kThreadsPerRow> / kThreadsPerRow;
  const int thread = threadIdx.x % kThreadsPerRow;
  const int64_t kept = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kThreadsPerRow;
  Accumulator total = Accumulator::identity();
  if (kept < shape.kept) {
    total = accumulate_range<kThreadsPerRow, Accumulator>(load, kept, 0, shape.reduced, shape.vectorised, thread);
  }
  if constexpr (kThreadsPerRow <= kWarpThreads) {
    total = warp_merge<kThreadsPerRow>(total);
  } else {
    total = block_merge<kThreadsPerRow>(total);
  }
  if (thread == 0 && kept < shape.kept) {
    store(kept, total);
  }
}

}  // namespace reduce_detail

template <typename Accumulator, int kThreadsPerRow, typename Load, typename Store>
cudaError_t launch_reduce_rows(const Load& load, const Store& store, const ReduceShape& shape, cudaStream_t stream) {
  static_assert(kThreadsPerRow <= kWarpThreads || kThreadsPerRow >= 128, "use 1..32 or 128..1024 threads per row");
  constexpr int kBlockThreads = kRowBlockThreads<kThreadsPerRow>;
  if (shape.kept == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.kept, kBlockThreads / kThreadsPerRow));
  reduce_detail::reduce_rows_kernel<Accumulator, kThreadsPerRow, Load, Store>
      <<<blocks, kBlockThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
