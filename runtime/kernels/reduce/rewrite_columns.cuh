// SPDX-License-Identifier: Apache-2.0
// Rewriting reductions (kernels/reduce/rewrite.cuh) whose kept axis is contiguous: neighbouring threads take
// neighbouring kept indices, kLanes each where alignment allows, and kSharers threads share the reduced axis of the
// same ones. A thread keeps up to kPerThread groups of lanes, all of them loaded before the first is used; along longer
// axes everything is read twice.
//
// Functors are called with (reduced, kept).
// ReduceShape::vectorised: as in kernels/reduce/column.cuh, for load and store.
// Settings: kSharers a power of two up to 32; kSharers * kPerThread * kLanes up to 2048.
#pragma once

#include "kernels/reduce/column.cuh"
#include "kernels/reduce/rewrite.cuh"

namespace stitch {

namespace reduce_detail {

// Elements sharer, sharer + kSharers, ... of the reduced axis, at kLanes neighbouring kept indices.
template <int kSharers, int kPerThread, int kLanes>
struct ColumnTile {
  static constexpr int64_t kCapacity = int64_t{kSharers} * kPerThread;
  int64_t reduced;
  int sharer;
  Lanes<float, kLanes> values[kPerThread];

  __device__ __forceinline__ int64_t at(int place) const { return sharer + int64_t{place} * kSharers; }
  __device__ __forceinline__ bool has(int place) const { return at(place) < reduced; }

  // No load waits for a decision: the last element is read instead of those beyond.
  template <typename Load>
  __device__ __forceinline__ void read(const Load& load, int64_t kept) {
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      values[place] = load_row_lanes<kLanes>(load, has(place) ? at(place) : reduced - 1, kept);
    }
  }

  template <typename Accumulator, typename Term>
  __device__ __forceinline__ LaneTotals<Accumulator, kLanes> totals(const Term& term, int64_t kept) const {
    LaneTotals<Accumulator, kLanes> totals;
    totals.clear();
    if (has(kPerThread - 1)) {
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        float terms[kPerThread];
#pragma unroll
        for (int place = 0; place < kPerThread; ++place) {
          terms[place] = term(at(place), kept + lane, values[place][lane]);
        }
        totals.of[lane].add(terms);
      }
      return totals;
    }
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      if (has(place)) {
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          const float terms[1] = {term(at(place), kept + lane, values[place][lane])};
          totals.of[lane].add(terms);
        }
      }
    }
    return totals;
  }

  template <typename Store, typename Accumulator>
  __device__ __forceinline__ void write(const Store& store, int64_t kept,
                                        const Lanes<Accumulator, kLanes>& totals) const {
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      if (has(place)) {
        store_rewritten<kLanes>(store, at(place), kept, totals, values[place]);
      }
    }
    write_of_columns(store, kept, totals);
  }

  template <typename Store, typename Accumulator>
  __device__ __forceinline__ void write_of_columns(const Store& store, int64_t kept,
                                                   const Lanes<Accumulator, kLanes>& totals) const {
    if (sharer == 0) {
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        store_of_row(store, kept + lane, totals[lane]);
      }
    }
  }
};

// Joins the sharers of each kept index, in a fixed order; all of them get the result. Every thread of the block must
// call it, once per kernel.
template <int kSharers, typename Accumulator, int kLanes>
__device__ __forceinline__ Lanes<Accumulator, kLanes> join_sharers(const LaneTotals<Accumulator, kLanes>& part,
                                                                   int column, int sharer) {
  using Group = Lanes<Accumulator, kLanes>;
  Group total;
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    total[lane] = part.of[lane];
  }
  if constexpr (kSharers > 1) {
    __shared__ Group slots[kSharers][kColumnThreads<kSharers>];
    slots[sharer][column] = total;
    __syncthreads();
    total = slots[0][column];
#pragma unroll
    for (int other = 1; other < kSharers; ++other) {
      const Group joined = slots[other][column];
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        total[lane].merge(joined[lane]);
      }
    }
  }
  return total;
}

template <typename Accumulator, int kSharers, int kPerThread, int kLanes, typename Load, typename Term, typename Store>
__global__ void __launch_bounds__(ColumnPlace<kSharers, kLanes>::kThreads)
    rewrite_columns_kernel(Load load, Term term, Store store, ReduceShape shape) {
  const ColumnPlace<kSharers, kLanes> place(blockIdx.x);
  const bool is_kept = place.kept < shape.kept;
  const int64_t kept = is_kept ? place.kept : shape.kept - kLanes;
  ColumnTile<kSharers, kPerThread, kLanes> tile{shape.reduced, place.sharer};
  if (shape.reduced <= tile.kCapacity) {
    tile.read(load, kept);
    const auto totals =
        join_sharers<kSharers>(tile.template totals<Accumulator>(term, kept), place.column, place.sharer);
    if (is_kept) {
      tile.write(store, kept, totals);
    }
    return;
  }
  const LoadTerm<Load, Term> terms{load, term};
  const auto totals = join_sharers<kSharers>(
      accumulate_lanes<Accumulator, kSharers, kLanes>(terms, kept, 0, shape.reduced, place.sharer), place.column,
      place.sharer);
#pragma unroll 4
  for (int64_t at = place.sharer; at < (is_kept ? shape.reduced : 0); at += kSharers) {
    store_rewritten<kLanes>(store, at, kept, totals, load_row_lanes<kLanes>(load, at, kept));
  }
  if (is_kept) {
    tile.write_of_columns(store, kept, totals);
  }
}

template <typename Accumulator, int kSharers, int kPerThread, int kLanes, typename Load, typename Term, typename Store>
cudaError_t launch_rewrite_lanes(const Load& load, const Term& term, const Store& store, const ReduceShape& shape,
                                 cudaStream_t stream) {
  using Place = ColumnPlace<kSharers, kLanes>;
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.kept, Place::kKeptPerBlock));
  rewrite_columns_kernel<Accumulator, kSharers, kPerThread, kLanes, Load, Term, Store>
      <<<blocks, Place::kThreads, 0, stream>>>(load, term, store, shape);
  return cudaGetLastError();
}

}  // namespace reduce_detail

template <typename Accumulator, int kSharers, int kPerThread, int kLanes, typename Load, typename Term, typename Store>
cudaError_t launch_rewrite_columns(const Load& load, const Term& term, const Store& store, const ReduceShape& shape,
                                   cudaStream_t stream) {
  if (shape.kept == 0 || shape.reduced == 0) {
    return cudaSuccess;
  }
  if constexpr (kLanes > 1) {
    if (shape.vectorised) {
      return reduce_detail::launch_rewrite_lanes<Accumulator, kSharers, kPerThread, kLanes>(load, term, store, shape,
                                                                                            stream);
    }
  }
  return reduce_detail::launch_rewrite_lanes<Accumulator, kSharers, kPerThread, 1>(load, term, store, shape, stream);
}

}  // namespace stitch
