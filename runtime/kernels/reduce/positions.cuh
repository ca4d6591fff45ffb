// SPDX-License-Identifier: Apache-2.0
// Reductions that need the position or the exact type of what they reduce: argmax and argmin, sums and extremes of
// integers, truth values. Rows are shared by one thread, a warp or a block; with one thread a row, neighbouring rows
// are neighbouring threads, which is how rows that are not contiguous are read best.
//
// An accumulator is a struct of 32-bit words with using Element, static identity(), add(Element, int64_t column),
// merge(const Accumulator&), symmetric, and, optionally, add_several(elements, first column, step between columns).
//   Load:  Element operator()(int64_t kept, int64_t column) const;
//   Store: void operator()(int64_t kept, const Accumulator& total) const;
#pragma once

#include "kernels/common.cuh"
#include "kernels/common/order.cuh"

namespace stitch {

// The largest (or smallest) element and the first position it stands at. NaN wins, the first of them.
template <typename T, bool kLargest>
struct ArgAccumulator {
  using Element = T;
  T value;
  int64_t index;  // -1: nothing yet

  static __device__ __forceinline__ ArgAccumulator identity() { return {T(), -1}; }

  // Columns come in rising order: of equals, and of NaN, the first stays.
  __device__ __forceinline__ void add(T candidate, int64_t column) {
    const bool is_better_or_nan = kLargest ? !(candidate <= value) : !(candidate >= value);
    if (index < 0 || (is_better_or_nan && value == value)) {
      value = candidate;
      index = column;
    }
  }

  // Columns first, first + step, ..., as if one after another. The place among them is kept until the last: a small
  // number that costs one register and no addition.
  template <int kCount>
  __device__ __forceinline__ void add_several(const T (&candidates)[kCount], int64_t first, int step) {
    const bool is_first = index < 0;
    T best = is_first ? candidates[0] : value;
    int place = is_first ? 0 : -1;
#pragma unroll
    for (int other = 0; other < kCount; ++other) {
      const bool is_better_or_nan = kLargest ? !(candidates[other] <= best) : !(candidates[other] >= best);
      const bool is_taken = is_better_or_nan && best == best;
      best = is_taken ? candidates[other] : best;
      place = is_taken ? other : place;
    }
    value = best;
    index = place < 0 ? index : first + static_cast<int64_t>(place) * step;
  }

  __device__ __forceinline__ void merge(const ArgAccumulator& other) {
    if (other.index >= 0 && (index < 0 || is_preferred(other))) {
      *this = other;
    }
  }

 private:
  __device__ __forceinline__ bool is_preferred(const ArgAccumulator& other) const {
    const bool is_mine_nan = value != value;
    const bool is_other_nan = other.value != other.value;
    if (is_mine_nan || is_other_nan) {
      return is_other_nan && (!is_mine_nan || other.index < index);
    }
    const bool is_better = kLargest ? other.value > value : other.value < value;
    return is_better || (other.value == value && other.index < index);
  }
};

template <typename T>
struct ExactSumAccumulator {
  using Element = T;
  T sum;
  static __device__ __forceinline__ ExactSumAccumulator identity() { return {T(0)}; }
  __device__ __forceinline__ void add(T value, int64_t) { sum += value; }
  __device__ __forceinline__ void merge(const ExactSumAccumulator& other) { sum += other.sum; }
};

template <typename T>
struct ExactProductAccumulator {
  using Element = T;
  T product;
  static __device__ __forceinline__ ExactProductAccumulator identity() { return {T(1)}; }
  __device__ __forceinline__ void add(T value, int64_t) { product *= value; }
  __device__ __forceinline__ void merge(const ExactProductAccumulator& other) { product *= other.product; }
};

namespace reduce_detail {

// Elements of columns first, first + kStep, ...
template <int kStep, typename Accumulator, int kCount>
__device__ __forceinline__ void add_positions(Accumulator& total,
                                              const typename Accumulator::Element (&elements)[kCount], int64_t first) {
  if constexpr (requires { total.add_several(elements, first, kStep); }) {
    total.add_several(elements, first, kStep);
  } else {
#pragma unroll
    for (int place = 0; place < kCount; ++place) {
      total.add(elements[place], first + place * kStep);
    }
  }
}

// Columns first, first + kStep, ... before `end`; several loads are in flight before the first is used.
template <typename Accumulator, int kStep, typename Load>
__device__ __forceinline__ Accumulator accumulate_positions(const Load& load, int64_t kept, int64_t first,
                                                            int64_t end) {
  constexpr int kUnroll = kStep == 1 && sizeof(typename Accumulator::Element) <= 4 ? 16 : 8;
  Accumulator total = Accumulator::identity();
  int64_t column = first;
  for (; column + (kUnroll - 1) * kStep < end; column += kUnroll * kStep) {
    typename Accumulator::Element elements[kUnroll];
#pragma unroll
    for (int place = 0; place < kUnroll; ++place) {
      elements[place] = load(kept, column + place * kStep);
    }
    add_positions<kStep>(total, elements, column);
  }
  for (; column < end; column += kStep) {
    total.add(load(kept, column), column);
  }
  return total;
}

template <typename Accumulator, int kThreadsPerRow, typename Load, typename Store>
__global__ void __launch_bounds__(kRowBlockThreads<kThreadsPerRow>)
    reduce_positions_kernel(Load load, Store store, int64_t kept_count, int64_t columns) {
  constexpr int kRowsPerBlock = kRowBlockThreads<kThreadsPerRow> / kThreadsPerRow;
  const int64_t kept = static_cast<int64_t>(blockIdx.x) * kRowsPerBlock + threadIdx.x / kThreadsPerRow;
  Accumulator total = Accumulator::identity();
  if (kept < kept_count) {
    total = accumulate_positions<Accumulator, kThreadsPerRow>(load, kept, threadIdx.x % kThreadsPerRow, columns);
  }
  if constexpr (kThreadsPerRow > kWarpThreads) {
    total = block_merge<kThreadsPerRow>(total);
  } else if constexpr (kThreadsPerRow > 1) {
    total = warp_merge<kThreadsPerRow>(total);
  }
  if (threadIdx.x % kThreadsPerRow == 0 && kept < kept_count) {
    store(kept, total);
  }
}

// Part `blockIdx.y` of every row, into scratch.
template <typename Accumulator, int kThreads, typename Load>
__global__ void __launch_bounds__(kThreads)
    reduce_position_parts_kernel(Load load, Accumulator* parts, int64_t columns, int64_t splits) {
  const int64_t kept = blockIdx.x;
  const int64_t split = blockIdx.y;
  const int64_t length = ceil_divide(columns, splits);
  const int64_t end = columns < (split + 1) * length ? columns : (split + 1) * length;
  const Accumulator total =
      block_merge<kThreads>(accumulate_positions<Accumulator, kThreads>(load, kept, split * length + threadIdx.x, end));
  if (threadIdx.x == 0) {
    parts[kept * splits + split] = total;
  }
}

template <typename Accumulator, typename Store>
__global__ void __launch_bounds__(kWarpThreads)
    merge_position_parts_kernel(const Accumulator* parts, Store store, int64_t splits) {
  const int64_t kept = blockIdx.x;
  Accumulator total = Accumulator::identity();
  for (int64_t split = threadIdx.x; split < splits; split += kWarpThreads) {
    total.merge(parts[kept * splits + split]);
  }
  total = warp_merge<kWarpThreads>(total);
  if (threadIdx.x == 0) {
    store(kept, total);
  }
}

}  // namespace reduce_detail

// kThreadsPerRow: 1, 32 or 128..1024.
template <typename Accumulator, int kThreadsPerRow, typename Load, typename Store>
cudaError_t launch_reduce_positions(const Load& load, const Store& store, int64_t kept, int64_t columns,
                                    cudaStream_t stream) {
  constexpr int kBlockThreads = kRowBlockThreads<kThreadsPerRow>;
  const auto blocks = static_cast<unsigned>(ceil_divide(kept, kBlockThreads / kThreadsPerRow));
  reduce_detail::reduce_positions_kernel<Accumulator, kThreadsPerRow, Load, Store>
      <<<blocks, kBlockThreads, 0, stream>>>(load, store, kept, columns);
  return cudaGetLastError();
}

// Few long rows: `splits` blocks a row, whose results wait in scratch (kept * splits accumulators).
template <typename Accumulator, int kThreads, typename Load, typename Store>
cudaError_t launch_reduce_positions_split(const Load& load, const Store& store, int64_t kept, int64_t columns,
                                          int64_t splits, void* scratch, cudaStream_t stream) {
  auto* const parts = static_cast<Accumulator*>(scratch);
  const dim3 grid(static_cast<unsigned>(kept), static_cast<unsigned>(splits));
  reduce_detail::reduce_position_parts_kernel<Accumulator, kThreads, Load>
      <<<grid, kThreads, 0, stream>>>(load, parts, columns, splits);
  reduce_detail::merge_position_parts_kernel<Accumulator, Store>
      <<<static_cast<unsigned>(kept), kWarpThreads, 0, stream>>>(parts, store, splits);
  return cudaGetLastError();
}

}  // namespace stitch
