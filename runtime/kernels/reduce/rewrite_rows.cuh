// SPDX-License-Identifier: Apache-2.0
// Rewriting reductions (kernels/reduce/rewrite.cuh) whose reduced axis is (mostly) contiguous: kThreads threads share a
// row and keep up to kPerThread elements of it each; a longer row is read twice.
//
// Functors are called with (row, column).
// Settings: kThreads per row: 32 (four rows a block) or 128..1024; kPerThread a multiple of 4.
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/row_in_registers.cuh"
#include "kernels/reduce/accumulators.cuh"
#include "kernels/reduce/rewrite.cuh"

namespace stitch {

namespace reduce_detail {

// A row storer (kernels/common/row.cuh) that knows the total of its row.
template <typename Store, typename Accumulator>
struct StoreWithTotal {
  const Store& store;
  Accumulator total;

  __device__ __forceinline__ void operator()(int64_t row, int64_t column, float kept) const {
    store(row, column, total, kept);
  }

  template <int kLanes>
  __device__ __forceinline__ void lanes(int64_t row, int64_t column, const Lanes<float, kLanes>& kept) const {
    store_rewritten<kLanes>(store, row, column, broadcast_lanes<kLanes>(total), kept);
  }

  // One thread calls it, once a row.
  __device__ __forceinline__ void finish_row(int64_t row) const { store_of_row(store, row, total); }
};

// A `finish` of kernels/common/held_rows.cuh.
struct FinishWithTotal {
  template <typename Store>
  __device__ __forceinline__ void prefetch(const Store& store, int64_t row) const {
    prefetch_of_row(store, row);
  }

  template <typename Store, typename Accumulator>
  __device__ __forceinline__ StoreWithTotal<Store, Accumulator> operator()(const Store& store,
                                                                           const Accumulator& row) const {
    return {store, row};
  }
};

// Fewer than kRowBlocks where a thread keeps little: places that functors of split rows compute need registers as well.
template <int kThreads>
inline constexpr int kRewriteBlocks = 1024 / kRowBlockThreads<kThreads>;

template <typename Accumulator, int kThreads, int kPerThread, typename Load, typename Term, typename Store>
__global__ void __launch_bounds__(kRowBlockThreads<kThreads>, kRewriteBlocks<kThreads>)
    rewrite_rows_kernel(Load load, Term term, Store store, RowShape shape) {
  constexpr int kRowsPerBlock = kRowBlockThreads<kThreads> / kThreads;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kThreads;
  if (row >= shape.rows) {
    return;  // whole warps leave together: with several rows a block, a row is one warp
  }
  const int thread = static_cast<int>(threadIdx.x % kThreads);
  const RowInRegisters<kThreads, kPerThread, Load> elements(load, shape, row, thread);
  if (thread == 0) {
    prefetch_of_row(store, row);
  }
  const Accumulator part = elements.is_resident()
                               ? elements.template accumulate_resident<Accumulator>(term)
                               : accumulate_range<kThreads, Accumulator>(LoadTerm<Load, Term>{load, term}, row, 0,
                                                                         shape.columns, shape.vectorised, thread);
  const StoreWithTotal<Store, Accumulator> writer{store, row_merge<kThreads>(part)};
  if (thread == kThreads - 1) {  // the last has the fewest elements to write
    writer.finish_row(row);
  }
  elements.write(writer, [](float kept) { return kept; });
}

}  // namespace reduce_detail

template <typename Accumulator, int kThreads, int kPerThread, typename Load, typename Term, typename Store>
cudaError_t launch_rewrite_rows(const Load& load, const Term& term, const Store& store, const RowShape& shape,
                                cudaStream_t stream) {
  static_assert(kThreads == 32 || kThreads >= 128, "a row is shared by one warp or by a whole block");
  constexpr int kBlockThreads = kRowBlockThreads<kThreads>;
  if (shape.rows == 0 || shape.columns == 0) {
    return cudaSuccess;
  }
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.rows, kBlockThreads / kThreads));
  reduce_detail::rewrite_rows_kernel<Accumulator, kThreads, kPerThread, Load, Term, Store>
      <<<blocks, kBlockThreads, 0, stream>>>(load, term, store, shape);
  return cudaGetLastError();
}

}  // namespace stitch
