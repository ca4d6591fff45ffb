// SPDX-License-Identifier: Apache-2.0
// Reductions that lead back to every element they were made of: x / sqrt(mean(x * x) + epsilon), x - mean(x). The
// elements are kept, so that they are read once.
//
// Functors are called with the two coordinates of the skeleton, of which lanes lie along the last.
//   load: a loader (kernels/common/row.cuh); what it reads is kept.
//   term: float operator()(int64_t, int64_t, float kept) const, what is reduced of it.
//   store: void operator()(int64_t, int64_t, const Accumulator& total, float kept) const, and where it takes lanes
//          template <int kLanes> void lanes(int64_t, int64_t, const Lanes<Accumulator, kLanes>& totals,
//                                           const Lanes<float, kLanes>& kept) const.
//          A StoreBesides has results of whole rows (or columns) too: one thread calls it once for each.
//          Both may have void prefetch(int64_t row) const: what they read of a row is fetched while the row is read.
#pragma once

#include "kernels/common/row.cuh"
#include "ptx/prefetch.cuh"

namespace stitch {

// of_row: void operator()(int64_t row, const Accumulator& total) const, the row being the coordinate that is kept.
template <typename Store, typename OfRow>
struct StoreBesides : Store {
  OfRow of_row;
};
template <typename Store, typename OfRow>
StoreBesides(Store, OfRow) -> StoreBesides<Store, OfRow>;

namespace reduce_detail {

template <typename Store, typename Accumulator>
__device__ __forceinline__ void store_of_row(const Store& store, int64_t row, const Accumulator& total) {
  if constexpr (requires { store.of_row(row, total); }) {
    store.of_row(row, total);
  }
}

// The terms of elements that are not kept.
template <typename Load, typename Term>
struct LoadTerm {
  const Load& load;
  const Term& term;

  __device__ __forceinline__ float operator()(int64_t outer, int64_t inner) const {
    return term(outer, inner, load(outer, inner));
  }

  template <int kLanes>
  __device__ __forceinline__ Lanes<float, kLanes> lanes(int64_t outer, int64_t inner) const {
    Lanes<float, kLanes> terms = load_row_lanes<kLanes>(load, outer, inner);
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      terms[lane] = term(outer, inner + lane, terms[lane]);
    }
    return terms;
  }
};

template <typename Store>
__device__ __forceinline__ void prefetch_of_row(const Store& store, int64_t row) {
  if constexpr (requires { store.prefetch(row); }) {
    store.prefetch(row);
  }
  if constexpr (requires { store.of_row.prefetch(row); }) {
    store.of_row.prefetch(row);
  }
}

template <int kLanes, typename Store, typename Accumulator>
__device__ __forceinline__ void store_rewritten(const Store& store, int64_t outer, int64_t inner,
                                                const Lanes<Accumulator, kLanes>& totals,
                                                const Lanes<float, kLanes>& kept) {
  if constexpr (kLanes > 1 && requires { store.template lanes<kLanes>(outer, inner, totals, kept); }) {
    store.template lanes<kLanes>(outer, inner, totals, kept);
  } else {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      store(outer, inner + lane, totals[lane], kept[lane]);
    }
  }
}

}  // namespace reduce_detail

}  // namespace stitch
