// SPDX-License-Identifier: Apache-2.0
// Bitonic sort (Batcher 1968). A row of up to kCapacity elements is sorted by one block in shared memory; a longer one
// in scratch memory, where comparisons within kCapacity neighbours still run in shared memory and the others take one
// launch for each distance.
#pragma once

#include "kernels/sort/shape.cuh"

namespace stitch {
namespace sort_detail {

template <typename T>
struct SortKey {
  T value;
  int32_t position;
};

// Keys past the end of the row come last.
template <bool kDescending, typename T>
__device__ __forceinline__ bool precedes(const SortKey<T>& a, const SortKey<T>& b, int64_t columns) {
  if (a.position >= columns || b.position >= columns) {
    return a.position < b.position;
  }
  return stitch::precedes<kDescending>(Placed<T>{a.value, a.position}, Placed<T>{b.value, b.position});
}

// Compares key `low` with the one `distance` further; blocks of `length` keys rise and fall in turn.
template <bool kDescending, typename T>
__device__ __forceinline__ void compare_exchange(SortKey<T>& low, SortKey<T>& high, bool rises, int64_t columns) {
  const bool is_wrong = rises ? precedes<kDescending>(high, low, columns) : precedes<kDescending>(low, high, columns);
  if (is_wrong) {
    const SortKey<T> moved = low;
    low = high;
    high = moved;
  }
}

__device__ __forceinline__ int64_t lower_of_pair(int64_t pair, int64_t distance) {
  return pair / distance * (2 * distance) + pair % distance;
}

// All distances below `distance` * 2 of the merge to `length`, over `count` keys in shared memory that begin at `base`.
template <bool kDescending, typename T>
__device__ __forceinline__ void merge_in_shared(SortKey<T>* keys, int count, int64_t base, int64_t length,
                                                int64_t distance, int64_t columns) {
  for (; distance > 0; distance /= 2) {
    __syncthreads();
    for (int pair = threadIdx.x; pair < count / 2; pair += blockDim.x) {
      const auto low = static_cast<int>(lower_of_pair(pair, distance));
      const bool rises = ((base + low) & length) == 0;
      compare_exchange<kDescending>(keys[low], keys[low + distance], rises, columns);
    }
  }
}

template <typename T, bool kDescending, int kThreads, int kCapacity, typename Load, typename Store>
__global__ void __launch_bounds__(kThreads) sort_rows_kernel(Load load, Store store, SortShape shape, int padded) {
  __shared__ SortKey<T> keys[kCapacity];
  const int64_t row = blockIdx.x;
  for (int place = threadIdx.x; place < padded; place += kThreads) {
    keys[place] = {place < shape.columns ? load(row, place) : T(), place};
  }
  for (int length = 2; length <= padded; length *= 2) {
    merge_in_shared<kDescending>(keys, padded, 0, length, length / 2, shape.columns);
  }
  __syncthreads();
  for (int rank = threadIdx.x; rank < shape.kept; rank += kThreads) {
    store(row, rank, keys[rank].value, keys[rank].position);
  }
}

// Reads the row into scratch and sorts every kCapacity keys of it.
template <typename T, bool kDescending, int kThreads, int kCapacity, typename Load>
__global__ void __launch_bounds__(kThreads)
    sort_chunks_kernel(Load load, SortShape shape, int64_t padded, SortKey<T>* scratch) {
  __shared__ SortKey<T> keys[kCapacity];
  const int64_t row = blockIdx.x;
  const int64_t base = static_cast<int64_t>(blockIdx.y) * kCapacity;
  for (int place = threadIdx.x; place < kCapacity; place += kThreads) {
    const int64_t column = base + place;
    keys[place] = {column < shape.columns ? load(row, column) : T(), static_cast<int32_t>(column)};
  }
  for (int length = 2; length <= kCapacity; length *= 2) {
    merge_in_shared<kDescending>(keys, kCapacity, base, length, length / 2, shape.columns);
  }
  __syncthreads();
  for (int place = threadIdx.x; place < kCapacity; place += kThreads) {
    scratch[row * padded + base + place] = keys[place];
  }
}

template <typename T, bool kDescending, int kThreads>
__global__ void __launch_bounds__(kThreads)
    exchange_kernel(SortKey<T>* scratch, int64_t padded, int64_t length, int64_t distance, int64_t columns) {
  const int64_t pair = static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x;
  SortKey<T>* const keys = scratch + blockIdx.x * padded;
  if (pair < padded / 2) {
    const int64_t low = lower_of_pair(pair, distance);
    compare_exchange<kDescending>(keys[low], keys[low + distance], (low & length) == 0, columns);
  }
}

template <typename T, bool kDescending, int kThreads, int kCapacity>
__global__ void __launch_bounds__(kThreads)
    merge_chunks_kernel(SortKey<T>* scratch, int64_t padded, int64_t length, int64_t columns) {
  __shared__ SortKey<T> keys[kCapacity];
  const int64_t base = static_cast<int64_t>(blockIdx.y) * kCapacity;
  SortKey<T>* const chunk = scratch + blockIdx.x * padded + base;
  for (int place = threadIdx.x; place < kCapacity; place += kThreads) {
    keys[place] = chunk[place];
  }
  merge_in_shared<kDescending>(keys, kCapacity, base, length, kCapacity / 2, columns);
  __syncthreads();
  for (int place = threadIdx.x; place < kCapacity; place += kThreads) {
    chunk[place] = keys[place];
  }
}

template <typename T, int kThreads, typename Store>
__global__ void __launch_bounds__(kThreads)
    store_sorted_kernel(Store store, SortShape shape, int64_t padded, const SortKey<T>* scratch) {
  const int64_t rank = static_cast<int64_t>(blockIdx.y) * kThreads + threadIdx.x;
  if (rank < shape.kept) {
    const SortKey<T> key = scratch[blockIdx.x * padded + rank];
    store(blockIdx.x, rank, key.value, key.position);
  }
}

inline int64_t power_of_two_from(int64_t count) {
  int64_t power = 1;
  while (power < count) {
    power *= 2;
  }
  return power;
}

}  // namespace sort_detail

// Rows of at most kCapacity elements (a power of two).
template <typename T, bool kDescending, int kThreads, int kCapacity, typename Load, typename Store>
cudaError_t launch_sort_rows(const Load& load, const Store& store, const SortShape& shape, cudaStream_t stream) {
  if (shape.columns > kCapacity) {
    return cudaErrorInvalidValue;
  }
  const auto padded = static_cast<int>(sort_detail::power_of_two_from(shape.columns));
  sort_detail::sort_rows_kernel<T, kDescending, kThreads, kCapacity, Load, Store>
      <<<static_cast<unsigned>(shape.rows), kThreads, 0, stream>>>(load, store, shape, padded);
  return cudaGetLastError();
}

// Rows of any length below 2^31; scratch holds a key for every element of the padded rows: the next power of two, at
// least kCapacity.
template <typename T, bool kDescending, int kThreads, int kCapacity, typename Load, typename Store>
cudaError_t launch_sort_long_rows(const Load& load, const Store& store, const SortShape& shape, void* scratch,
                                  cudaStream_t stream) {
  using namespace sort_detail;
  const int64_t least = shape.columns < kCapacity ? kCapacity : shape.columns;
  const int64_t padded = power_of_two_from(least);
  if ((padded >> 31) != 0) {
    return cudaErrorInvalidValue;
  }
  auto* const keys = static_cast<SortKey<T>*>(scratch);
  const auto rows = static_cast<unsigned>(shape.rows);
  const dim3 chunks(rows, static_cast<unsigned>(padded / kCapacity));
  const dim3 pairs(rows, static_cast<unsigned>(ceil_divide(padded / 2, kThreads)));
  sort_chunks_kernel<T, kDescending, kThreads, kCapacity, Load>
      <<<chunks, kThreads, 0, stream>>>(load, shape, padded, keys);
  for (int64_t length = 2 * kCapacity; length <= padded; length *= 2) {
    for (int64_t distance = length / 2; distance >= kCapacity; distance /= 2) {
      exchange_kernel<T, kDescending, kThreads>
          <<<pairs, kThreads, 0, stream>>>(keys, padded, length, distance, shape.columns);
    }
    merge_chunks_kernel<T, kDescending, kThreads, kCapacity>
        <<<chunks, kThreads, 0, stream>>>(keys, padded, length, shape.columns);
  }
  const dim3 kept(rows, static_cast<unsigned>(ceil_divide(shape.kept, kThreads)));
  store_sorted_kernel<T, kThreads, Store><<<kept, kThreads, 0, stream>>>(store, shape, padded, keys);
  return cudaGetLastError();
}

}  // namespace stitch
