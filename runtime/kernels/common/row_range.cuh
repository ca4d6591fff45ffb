// SPDX-License-Identifier: Apache-2.0
// A stretch of a row, accumulated or rewritten by the threads that share it, with several 16-byte loads of each in
// flight.
#pragma once

#include "kernels/common/row.cuh"

namespace stitch {

// Accumulates load(kept, begin..end) in steps of kThreads; `thread` is this thread's place among them.
template <int kThreads, typename Accumulator, typename Load>
__device__ __forceinline__ Accumulator accumulate_range(const Load& load, int64_t kept, int64_t begin, int64_t end,
                                                        bool vectorised, int thread) {
  constexpr int kLanes = 4;
  constexpr int kUnroll = 4;  // loads in flight before the first use
  Accumulator accumulator = Accumulator::identity();
  if (vectorised) {
    constexpr int64_t kStep = int64_t{kThreads} * kLanes;
    int64_t at = begin + thread * kLanes;
    for (; at + (kUnroll - 1) * kStep < end; at += kUnroll * kStep) {
      float values[kUnroll * kLanes];
#pragma unroll
      for (int group = 0; group < kUnroll; ++group) {
        const Lanes<float, kLanes> lanes = load_row_lanes<kLanes>(load, kept, at + group * kStep);
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          values[group * kLanes + lane] = lanes[lane];
        }
      }
      accumulator.add(values);
    }
    if (at < end) {  // the rest, in flight together: what lies beyond the end is the first of it once more
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
    return accumulator;
  }
  int64_t at = begin + thread;
  for (; at + (kUnroll - 1) * kThreads < end; at += kUnroll * kThreads) {
    float values[kUnroll];
#pragma unroll
    for (int group = 0; group < kUnroll; ++group) {
      values[group] = load(kept, at + group * kThreads);
    }
    accumulator.add(values);
  }
  if (at < end) {
    float rest[kUnroll - 1];
#pragma unroll
    for (int group = 0; group < kUnroll - 1; ++group) {
      rest[group] = load(kept, at + group * kThreads < end ? at + group * kThreads : at);
    }
#pragma unroll
    for (int group = 0; group < kUnroll - 1; ++group) {
      if (at + group * kThreads < end) {
        const float value[1] = {rest[group]};
        accumulator.add(value);
      }
    }
  }
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

// store(row, column, transform(load(row, column))) for columns begin..end, in steps of kThreads.
template <int kThreads, typename Load, typename Store, typename Transform>
__device__ __forceinline__ void write_range(const Load& load, const Store& store, int64_t row, int64_t begin,
                                            int64_t end, bool vectorised, int thread, const Transform& transform) {
  constexpr int kLanes = 4;
  constexpr int kUnroll = 4;
  if (!vectorised) {
#pragma unroll kUnroll
    for (int64_t column = begin + thread; column < end; column += kThreads) {
      store(row, column, transform(load(row, column)));
    }
    return;
  }
  constexpr int64_t kStep = int64_t{kThreads} * kLanes;
  int64_t column = begin + thread * kLanes;
  for (; column + (kUnroll - 1) * kStep < end; column += kUnroll * kStep) {
    Lanes<float, kLanes> groups[kUnroll];
#pragma unroll
    for (int group = 0; group < kUnroll; ++group) {
      groups[group] = load_row_lanes<kLanes>(load, row, column + group * kStep);
    }
#pragma unroll
    for (int group = 0; group < kUnroll; ++group) {
      write_transformed(store, row, column + group * kStep, groups[group], transform);
    }
  }
  for (; column < end; column += kStep) {
    write_transformed(store, row, column, load_row_lanes<kLanes>(load, row, column), transform);
  }
}

}  // namespace stitch
