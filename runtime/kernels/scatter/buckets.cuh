// SPDX-License-Identifier: Apache-2.0
// Scatter by buckets: sources are counted, listed and put in order per place, then every result element takes those of
// its bucket. Atomics only count and claim slots; what is summed is summed in the order of the sources, so the result
// is that of a sequential loop and the same in every run. Functors as in pull.cuh.
//
// kShared: targets are the same in all columns (index_add and the like): one set of buckets serves them all.
// Scratch, 32-bit words: counts and ends (a word per bucket each), the list (a word per source), one cursor.
#pragma once

#include "kernels/scatter/pull.cuh"

namespace stitch {
namespace scatter_detail {

struct Buckets {
  int32_t* counts;
  int32_t* ends;
  int32_t* list;
  int32_t* cursor;
  int64_t columns;  // of targets: 1 where they are shared
};

static __global__ void __launch_bounds__(kThreads) clear_buckets_kernel(Buckets buckets, int64_t count) {
  const int64_t bucket = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (bucket < count) {
    buckets.counts[bucket] = 0;
  }
  if (bucket == 0) {
    *buckets.cursor = 0;
  }
}

// The bucket that a source is sent to, -1 for none. Neighbouring threads take neighbouring sources.
template <typename Target>
__device__ __forceinline__ int64_t bucket_of(const Target& target, const ScatterShape& shape, int64_t column,
                                             int64_t source) {
  const int64_t place = target(column, source);
  return place >= 0 && place < shape.places ? column * shape.places + place : -1;
}

template <bool kFills, typename Target>
__global__ void __launch_bounds__(kThreads)
    visit_sources_kernel(Target target, ScatterShape shape, Buckets buckets, Divider sources) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (at >= buckets.columns * shape.sources) {
    return;
  }
  const QuotientRemainder split = sources.divide(at);
  const int64_t bucket = bucket_of(target, shape, split.quotient, split.remainder);
  if (bucket < 0) {
    return;
  }
  if constexpr (kFills) {
    buckets.list[atomicAdd(&buckets.ends[bucket], 1)] = static_cast<int32_t>(split.remainder);
  } else {
    atomicAdd(&buckets.counts[bucket], 1);
  }
}

// Gives every bucket its part of the list. Which part does not matter, so blocks need not wait for one another.
static __global__ void __launch_bounds__(kThreads) claim_slots_kernel(Buckets buckets, int64_t count) {
  __shared__ int32_t block_total;
  __shared__ int32_t block_begin;
  const int64_t bucket = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (threadIdx.x == 0) {
    block_total = 0;
  }
  __syncthreads();
  const int32_t wanted = bucket < count ? buckets.counts[bucket] : 0;
  const int32_t begin = wanted > 0 ? atomicAdd(&block_total, wanted) : 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    block_begin = atomicAdd(buckets.cursor, block_total);
  }
  __syncthreads();
  if (bucket < count) {
    buckets.ends[bucket] = block_begin + begin;
  }
}

__device__ __forceinline__ void sift_down(int32_t* heap, int32_t root, int32_t count) {
  const int32_t moved = heap[root];
  for (int32_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
    child += child + 1 < count && heap[child + 1] > heap[child] ? 1 : 0;
    if (heap[child] <= moved) {
      break;
    }
    heap[root] = heap[child];
    root = child;
  }
  heap[root] = moved;
}

// Sources of one bucket in rising order: by insertion while they are few, else a heap.
static __global__ void __launch_bounds__(kThreads) order_buckets_kernel(Buckets buckets, int64_t count) {
  constexpr int32_t kFew = 24;
  const int64_t bucket = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (bucket >= count) {
    return;
  }
  const int32_t size = buckets.counts[bucket];
  int32_t* list = buckets.list + (buckets.ends[bucket] - size);
  if (size > kFew) {
    for (int32_t root = size / 2 - 1; root >= 0; --root) {
      sift_down(list, root, size);
    }
    for (int32_t last = size - 1; last > 0; --last) {
      const int32_t largest = list[0];
      list[0] = list[last];
      list[last] = largest;
      sift_down(list, 0, last);
    }
    return;
  }
  for (int32_t i = 1; i < size; ++i) {
    const int32_t moved = list[i];
    int32_t to = i;
    for (; to > 0 && list[to - 1] > moved; --to) {
      list[to] = list[to - 1];
    }
    list[to] = moved;
  }
}

template <ScatterReduce kReduce, bool kIncludeSelf, bool kShared, typename T, typename Value, typename Self,
          typename Store>
__global__ void __launch_bounds__(kThreads)
    combine_buckets_kernel(Value value, Self self, Store store, ScatterShape shape, Buckets buckets, Divider inner) {
  const int64_t element = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (element >= shape.columns * shape.places) {
    return;
  }
  const auto [column, place] = scatter_element(shape, inner, element);
  const int64_t bucket = (kShared ? 0 : column * shape.places) + place;
  ScatterTotal<kReduce, kIncludeSelf, T> total(self(column, place));
  const int32_t end = buckets.ends[bucket];
  const int32_t size = buckets.counts[bucket];
  constexpr bool kOnlyLast = kReduce == ScatterReduce::kNone;
  for (int32_t at = end - (kOnlyLast && size > 1 ? 1 : size); at < end; ++at) {
    total.take(value(column, buckets.list[at]));
  }
  store(column, place, total.result());
}

}  // namespace scatter_detail

template <ScatterReduce kReduce, bool kIncludeSelf, bool kShared, typename T, typename Target, typename Value,
          typename Self, typename Store>
cudaError_t launch_scatter_buckets(const Target& target, const Value& value, const Self& self, const Store& store,
                                   const ScatterShape& shape, void* scratch, cudaStream_t stream) {
  using namespace scatter_detail;
  const int64_t target_columns = kShared ? 1 : shape.columns;
  const int64_t buckets_count = target_columns * shape.places;
  const int64_t sources_count = target_columns * shape.sources;
  if ((buckets_count >> 31) != 0 || (sources_count >> 31) != 0) {
    return cudaErrorInvalidValue;  // the list holds 32-bit numbers
  }
  auto* const words = static_cast<int32_t*>(scratch);
  const Buckets buckets{words, words + buckets_count, words + 2 * buckets_count,
                        words + 2 * buckets_count + sources_count, target_columns};
  const auto bucket_blocks = static_cast<unsigned>(ceil_divide(buckets_count, kThreads));
  const auto source_blocks = static_cast<unsigned>(ceil_divide(sources_count, kThreads));
  const auto element_blocks = static_cast<unsigned>(ceil_divide(shape.columns * shape.places, kThreads));
  const Divider sources(shape.sources);
  const Divider inner(shape.places_innermost ? shape.places : shape.columns);
  clear_buckets_kernel<<<bucket_blocks, kThreads, 0, stream>>>(buckets, buckets_count);
  visit_sources_kernel<false, Target><<<source_blocks, kThreads, 0, stream>>>(target, shape, buckets, sources);
  claim_slots_kernel<<<bucket_blocks, kThreads, 0, stream>>>(buckets, buckets_count);
  visit_sources_kernel<true, Target><<<source_blocks, kThreads, 0, stream>>>(target, shape, buckets, sources);
  order_buckets_kernel<<<bucket_blocks, kThreads, 0, stream>>>(buckets, buckets_count);
  combine_buckets_kernel<kReduce, kIncludeSelf, kShared, T, Value, Self, Store>
      <<<element_blocks, kThreads, 0, stream>>>(value, self, store, shape, buckets, inner);
  return cudaGetLastError();
}

}  // namespace stitch
