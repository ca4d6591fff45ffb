// SPDX-License-Identifier: Apache-2.0
// Scatter without atomics: the thread of each result element looks through all sources of its column, in order, and
// takes those that are sent to it. One launch, no scratch, the same result as a sequential loop; work is results times
// sources of a column, so it is meant for few sources (a step of a cache, a handful of rows).
//
// Functors (trivially copyable); a column is a position on all axes but the one that indices point along:
//   Target: int64_t operator()(int64_t column, int64_t source) const;   the place it is sent to; elsewhere = nowhere
//   Value:  T operator()(int64_t column, int64_t source) const;
//   Self:   T operator()(int64_t column, int64_t place) const;
//   Store:  void operator()(int64_t column, int64_t place, T value) const;
#pragma once

#include "kernels/scatter/combine.cuh"

namespace stitch {

struct ScatterShape {
  int64_t columns;
  int64_t places;
  int64_t sources;
  bool places_innermost;  // neighbouring places are neighbours in memory, and not neighbouring columns
};

namespace scatter_detail {

constexpr int kThreads = 256;

struct ElementOfScatter {
  int64_t column;
  int64_t place;
};

__device__ __forceinline__ ElementOfScatter scatter_element(const ScatterShape& shape, const Divider& inner,
                                                            int64_t element) {
  const QuotientRemainder split = inner.divide(element);
  return shape.places_innermost ? ElementOfScatter{split.quotient, split.remainder}
                                : ElementOfScatter{split.remainder, split.quotient};
}

template <ScatterReduce kReduce, bool kIncludeSelf, typename T, typename Target, typename Value, typename Self,
          typename Store>
__global__ void __launch_bounds__(kThreads)
    scatter_pull_kernel(Target target, Value value, Self self, Store store, ScatterShape shape, Divider inner) {
  const int64_t element = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (element >= shape.columns * shape.places) {
    return;
  }
  const auto [column, place] = scatter_element(shape, inner, element);
  ScatterTotal<kReduce, kIncludeSelf, T> total(self(column, place));
  for (int64_t source = 0; source < shape.sources; ++source) {
    if (target(column, source) == place) {
      total.take(value(column, source));
    }
  }
  store(column, place, total.result());
}

}  // namespace scatter_detail

template <ScatterReduce kReduce, bool kIncludeSelf, typename T, typename Target, typename Value, typename Self,
          typename Store>
cudaError_t launch_scatter_pull(const Target& target, const Value& value, const Self& self, const Store& store,
                                const ScatterShape& shape, cudaStream_t stream) {
  const Divider inner(shape.places_innermost ? shape.places : shape.columns);
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.columns * shape.places, scatter_detail::kThreads));
  scatter_detail::scatter_pull_kernel<kReduce, kIncludeSelf, T, Target, Value, Self, Store>
      <<<blocks, scatter_detail::kThreads, 0, stream>>>(target, value, self, store, shape, inner);
  return cudaGetLastError();
}

}  // namespace stitch
