// SPDX-License-Identifier: Apache-2.0
// A stretch of a row, accumulated or rewritten by the threads that share it, with several 16-byte loads of each in
// flight.
#pragma once

#include "kernels/common/row.cuh"

namespace stitch {

namespace row_range_detail {

constexpr int kUnroll = 4;          // accesses in flight before the first use
constexpr int kUnrollElements = 8;  // where each is a single element
constexpr int kLanesOfFour = 4;

// Whole batches of kBatch accesses from `at`, which is moved behind them.
template <int kThreads, int kLanes, int kBatch, typename Accumulator, typename Load>
__device__ __forceinline__ void accumulate_batches(Accumulator& accumulator, const Load& load, int64_t kept,
                                                   int64_t& at, int64_t end) {
  constexpr int64_t kStep = int64_t{kThreads} * kLanes;
  for (; at + (kBatch - 1) * kStep < end; at += kBatch * kStep) {
    float values[kBatch * kLanes];
#pragma unroll
    for (int group = 0; group < kBatch; ++group) {
      const Lanes<float, kLanes> lanes = load_row_lanes<kLanes>(load, kept, at + group * kStep);
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        values[group * kLanes + lane] = lanes[lane];
      }
    }
    accumulator.add(values);
  }
}

// The rest, less than a batch of kUnroll, in flight together: what lies beyond the end is the first of it once more.
template <int kThreads, int kLanes, typename Accumulator, typename Load>
__device__ __forceinline__ void accumulate_rest(Accumulator& accumulator, const Load& load, int64_t kept, int64_t at,
                                                int64_t end) {
  constexpr int64_t kStep = int64_t{kThreads} * kLanes;
  if (at >= end) {
    return;
  }
  Lanes<float, kLanes> rest[kUnroll - 1];
#pragma unroll
  for (int group = 0; group < kUnroll - 1; ++group) {
    rest[group] = load_row_lanes<kLanes>(load, kept, at + group * kStep < end ? at + group * kStep : at);
  }
#pragma unroll
  for (int group = 0; group < kUnroll - 1; ++group) {
    if (at + group * kStep < end) {
      accumulator.add(rest[group].values);
    }
  }
}

}  // namespace row_range_detail

// Accumulates load(kept, begin..end) in steps of kThreads; `thread` is this thread's place among them.
template <int kThreads, typename Accumulator, typename Load>
__device__ __forceinline__ Accumulator accumulate_range(const Load& load, int64_t kept, int64_t begin, int64_t end,
                                                        bool vectorised, int thread) {
  using namespace row_range_detail;
  Accumulator accumulator = Accumulator::identity();
  if (vectorised) {
    int64_t at = begin + thread * kLanesOfFour;
    accumulate_batches<kThreads, kLanesOfFour, kUnroll>(accumulator, load, kept, at, end);
    accumulate_rest<kThreads, kLanesOfFour>(accumulator, load, kept, at, end);
    return accumulator;
  }
  int64_t at = begin + thread;
  accumulate_batches<kThreads, 1, kUnrollElements>(accumulator, load, kept, at, end);
  accumulate_batches<kThreads, 1, kUnroll>(accumulator, load, kept, at, end);
  accumulate_rest<kThreads, 1>(accumulator, load, kept, at, end);
  return accumulator;
}

template <int kLanes, typename Store, typename Transform>
__device__ __forceinline__ void write_transformed(const Store& store, int64_t row, int64_t column,
                                                  Lanes<float, kLanes> lanes, const Transform& transform) {
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    lanes[lane] = transform(lanes[lane]);
  }
  store_row_lanes<kLanes>(store, row, column, lanes);
}

namespace row_range_detail {

// Stores may be where loads are, for all that the compiler knows: those of a batch come before its first store.
template <int kThreads, int kLanes, int kBatch, typename Load, typename Store, typename Transform>
__device__ __forceinline__ void write_batches(const Load& load, const Store& store, int64_t row, int64_t column,
                                              int64_t end, const Transform& transform) {
  constexpr int64_t kStep = int64_t{kThreads} * kLanes;
  for (; column + (kBatch - 1) * kStep < end; column += kBatch * kStep) {
    Lanes<float, kLanes> groups[kBatch];
#pragma unroll
    for (int group = 0; group < kBatch; ++group) {
      groups[group] = load_row_lanes<kLanes>(load, row, column + group * kStep);
    }
#pragma unroll
    for (int group = 0; group < kBatch; ++group) {
      write_transformed(store, row, column + group * kStep, groups[group], transform);
    }
  }
  for (; column < end; column += kStep) {
    write_transformed(store, row, column, load_row_lanes<kLanes>(load, row, column), transform);
  }
}

}  // namespace row_range_detail

// store(row, column, transform(load(row, column))) for columns begin..end, in steps of kThreads.
template <int kThreads, typename Load, typename Store, typename Transform>
__device__ __forceinline__ void write_range(const Load& load, const Store& store, int64_t row, int64_t begin,
                                            int64_t end, bool vectorised, int thread, const Transform& transform) {
  using namespace row_range_detail;
  constexpr int kUnrollStores = 8;
  if (vectorised) {
    write_batches<kThreads, kLanesOfFour, kUnroll>(load, store, row, begin + thread * kLanesOfFour, end, transform);
  } else {
    write_batches<kThreads, 1, kUnrollStores>(load, store, row, begin + thread, end, transform);
  }
}

}  // namespace stitch
