// SPDX-License-Identifier: Apache-2.0
// Reductions whose kept axis is contiguous: neighbouring threads take neighbouring kept indices, four each, and
// kSharers threads share the reduced axis of the same ones. Where alignment allows, a thread's four are neighbours,
// read at once; elsewhere they are a warp apart, where there are enough of them for that, or there is one only.
//
// load: a loader as in kernels/common/row.cuh, but called as load(reduced, kept): lanes lie along the kept axis.
// store: as in kernels/reduce/row.cuh.
// ReduceShape::vectorised: kept % 4 == 0 and load.lanes<4>(reduced, multiple of 4) is aligned.
// kSharers: a power of two up to 32.
#pragma once

#include "kernels/reduce/row.cuh"

namespace stitch {

namespace reduce_detail {

// Threads of a block along the kept axis.
template <int kSharers>
inline constexpr int kColumnThreads = kSharers < 8 ? 256 / kSharers : kWarpThreads;

// Totals of kLanes neighbouring kept indices.
template <typename Accumulator, int kLanes>
struct LaneTotals {
  Accumulator of[kLanes];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (Accumulator& total : of) {
      total = Accumulator::identity();
    }
  }

  // kCount groups of lanes, kStep apart along the reduced axis, all read before the first is used.
  template <int kCount, int kStep, typename Load>
  __device__ __forceinline__ void read(const Load& load, int64_t kept, int64_t at) {
    Lanes<float, kLanes> read[kCount];
#pragma unroll
    for (int place = 0; place < kCount; ++place) {
      if constexpr (kLanes == 1) {
        read[place][0] = load(at + place * kStep, kept);
      } else {
        read[place] = load_row_lanes<kLanes>(load, at + place * kStep, kept);
      }
    }
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      float values[kCount];
#pragma unroll
      for (int place = 0; place < kCount; ++place) {
        values[place] = read[place][lane];
      }
      of[lane].add(values);
    }
  }
};

// Elements begin + sharer, begin + sharer + kSharers, ... of the reduced axis.
template <typename Accumulator, int kSharers, int kLanes, typename Load>
__device__ __forceinline__ LaneTotals<Accumulator, kLanes> accumulate_lanes(const Load& load, int64_t kept,
                                                                            int64_t begin, int64_t end, int sharer) {
  constexpr int kInFlight = 16;  // elements
  constexpr int kMany = kInFlight / kLanes;
  constexpr int kFew = kMany / 4;
  LaneTotals<Accumulator, kLanes> totals;
  totals.clear();
  int64_t at = begin + sharer;
  for (; at + (kMany - 1) * kSharers < end; at += kMany * kSharers) {
    totals.template read<kMany, kSharers>(load, kept, at);
  }
  if constexpr (kFew > 1) {
    for (; at + (kFew - 1) * kSharers < end; at += kFew * kSharers) {
      totals.template read<kFew, kSharers>(load, kept, at);
    }
  }
  for (; at < end; at += kSharers) {
    totals.template read<1, kSharers>(load, kept, at);
  }
  return totals;
}

// One kept index alone.
template <int kSharers, typename Accumulator, typename Load>
__device__ __forceinline__ Accumulator accumulate_column(const Load& load, int64_t kept, int64_t begin, int64_t end,
                                                         int sharer) {
  constexpr int kUnroll = 4;
  Accumulator accumulator = Accumulator::identity();
  int64_t at = begin + sharer;
  for (; at + (kUnroll - 1) * kSharers < end; at += kUnroll * kSharers) {
    float values[kUnroll];
#pragma unroll
    for (int group = 0; group < kUnroll; ++group) {
      values[group] = load(kept, at + group * kSharers);
    }
    accumulator.add(values);
  }
  for (; at < end; at += kSharers) {
    const float value[1] = {load(kept, at)};
    accumulator.add(value);
  }
  return accumulator;
}

// Joins the sharers of each kept index; the result is valid in sharer 0. One call per kernel.
template <int kSharers, typename Accumulator, int kLanes>
__device__ __forceinline__ void merge_sharers(LaneTotals<Accumulator, kLanes>& totals, int column, int sharer) {
  if constexpr (kSharers > 1) {
    __shared__ Accumulator slots[kSharers][kLanes][kColumnThreads<kSharers>];
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      slots[sharer][lane][column] = totals.of[lane];
    }
    __syncthreads();
    if (sharer == 0) {
      for (int other = 1; other < kSharers; ++other) {
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          totals.of[lane].merge(slots[other][lane][column]);
        }
      }
    }
  }
}

// Which kept indices a thread works for, and its number among their sharers.
template <int kSharers, int kLanes, bool kAreApart = false>
struct ColumnPlace {
  static constexpr int kThreads = kSharers * kColumnThreads<kSharers>;
  static constexpr int kKeptPerBlock = kColumnThreads<kSharers> * kLanes;
  static constexpr int kStep = kAreApart ? kColumnThreads<kSharers> : 1;  // between the lanes of a thread
  int column;
  int sharer;
  int64_t kept;  // of the first lane

  __device__ __forceinline__ explicit ColumnPlace(int64_t block)
      : column(threadIdx.x % kColumnThreads<kSharers>),
        sharer(threadIdx.x / kColumnThreads<kSharers>),
        kept(block * kKeptPerBlock + column * (kAreApart ? 1 : kLanes)) {}
};

// Lanes that are kStep kept indices apart, each read by itself; the last index stands for those beyond.
template <int kStep, typename Load>
struct LoadApart {
  const Load& load;
  int64_t last;

  template <int kLanes>
  __device__ __forceinline__ Lanes<float, kLanes> lanes(int64_t reduced, int64_t kept) const {
    Lanes<float, kLanes> result;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      const int64_t wanted = kept + lane * kStep;
      result[lane] = load(reduced, wanted < last ? wanted : last);
    }
    return result;
  }
};

template <typename Accumulator, int kSharers, int kLanes, bool kAreApart, typename Load, typename Store>
__global__ void __launch_bounds__(ColumnPlace<kSharers, kLanes>::kThreads)
    reduce_columns_kernel(Load load, Store store, ReduceShape shape) {
  using Place = ColumnPlace<kSharers, kLanes, kAreApart>;
  const Place place(blockIdx.x);
  const int64_t end = place.kept < shape.kept ? shape.reduced : 0;
  LaneTotals<Accumulator, kLanes> totals;
  if constexpr (kAreApart) {
    const LoadApart<Place::kStep, Load> apart{load, shape.kept - 1};
    totals = accumulate_lanes<Accumulator, kSharers, kLanes>(apart, place.kept, 0, end, place.sharer);
  } else {
    totals = accumulate_lanes<Accumulator, kSharers, kLanes>(load, place.kept, 0, end, place.sharer);
  }
  merge_sharers<kSharers>(totals, place.column, place.sharer);
  if (place.sharer == 0) {
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      if (place.kept + lane * Place::kStep < shape.kept) {
        store(place.kept + lane * Place::kStep, totals.of[lane]);
      }
    }
  }
}

template <typename Accumulator, int kSharers, int kLanes, bool kAreApart, typename Load, typename Store>
cudaError_t launch_columns_of_lanes(const Load& load, const Store& store, const ReduceShape& shape,
                                    cudaStream_t stream) {
  using Place = ColumnPlace<kSharers, kLanes, kAreApart>;
  const auto blocks = static_cast<unsigned>(ceil_divide(shape.kept, Place::kKeptPerBlock));
  reduce_columns_kernel<Accumulator, kSharers, kLanes, kAreApart, Load, Store>
      <<<blocks, Place::kThreads, 0, stream>>>(load, store, shape);
  return cudaGetLastError();
}

template <typename Load>
inline constexpr bool kTakesLanes = requires(const Load& load) { load.template lanes<4>(int64_t{}, int64_t{}); };

}  // namespace reduce_detail

// Kept indices that make enough blocks when each thread takes several of them one by one.
constexpr int64_t kMinKeptApart = 65536;

template <typename Accumulator, int kSharers = 8, typename Load, typename Store>
cudaError_t launch_reduce_columns(const Load& load, const Store& store, const ReduceShape& shape, cudaStream_t stream) {
  if (shape.kept == 0) {
    return cudaSuccess;
  }
  constexpr int kLanes = 4;
  if constexpr (reduce_detail::kTakesLanes<Load>) {
    if (shape.vectorised) {
      return reduce_detail::launch_columns_of_lanes<Accumulator, kSharers, kLanes, false>(load, store, shape, stream);
    }
  }
  if (shape.kept >= kMinKeptApart) {
    return reduce_detail::launch_columns_of_lanes<Accumulator, kSharers, kLanes, true>(load, store, shape, stream);
  }
  return reduce_detail::launch_columns_of_lanes<Accumulator, kSharers, 1, false>(load, store, shape, stream);
}

}  // namespace stitch
