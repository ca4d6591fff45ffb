// SPDX-License-Identifier: Apache-2.0
// A row shared by kThreads threads, of which each keeps up to kPerThread elements in registers: read once, used by
// several passes. Rows longer than kCapacity are accumulated in one pass, and read again for what is written.
#pragma once

#include "kernels/common/row.cuh"
#include "kernels/common/row_range.cuh"
#include "kernels/common/warp.cuh"

namespace stitch {

template <int kThreads, int kPerThread, typename Load>
class RowInRegisters {
 public:
  static constexpr int kLanes = 4;
  static constexpr int64_t kCapacity = int64_t{kThreads} * kPerThread;
  static_assert(kPerThread % kLanes == 0, "a thread keeps whole groups of 4 elements");

  __device__ __forceinline__ RowInRegisters(const Load& load, const RowShape& shape, int64_t row, int thread)
      : load_(load), shape_(shape), row_(row), thread_(thread), resident_(shape.columns <= kCapacity) {
    if (!resident_) {
      return;
    }
    if (shape_.vectorised) {
      read_lanes();
    } else {
      read_elements();
    }
  }

  // visit(column, value) for each of this thread's elements, of a row that is resident.
  template <typename Visit>
  __device__ __forceinline__ void for_each(const Visit& visit) const {
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      const int64_t column = shape_.vectorised ? lane_column(place) : element_column(place);
      if (column < shape_.columns) {
        visit(column, values_[place]);
      }
    }
  }

  // Accumulates this thread's elements of a row that is too long for registers, several 16-byte loads in flight.
  // Accumulator: kernels/reduce/accumulators.cuh.
  template <typename Accumulator>
  __device__ __forceinline__ Accumulator accumulate_streamed() const {
    return accumulate_range<kThreads, Accumulator>(load_, row_, 0, shape_.columns, shape_.vectorised, thread_);
  }

  __device__ __forceinline__ bool is_resident() const { return resident_; }

  // store(row, column, transform(value)) for each of this thread's elements, in groups of 4 where the shape allows.
  template <typename Store, typename Transform>
  __device__ __forceinline__ void write(const Store& store, const Transform& transform) const {
    if (!resident_) {
      write_range<kThreads>(load_, store, row_, 0, shape_.columns, shape_.vectorised, thread_, transform);
      return;
    }
    if (!shape_.vectorised) {
      for_each([&](int64_t column, float value) { store(row_, column, transform(value)); });
      return;
    }
#pragma unroll
    for (int group = 0; group < kPerThread / kLanes; ++group) {
      if (lane_column(group * kLanes) < shape_.columns) {
        write_transformed(store, row_, lane_column(group * kLanes), group_at(group), transform);
      }
    }
  }

 private:
  __device__ __forceinline__ int64_t lane_column(int place) const {
    return (int64_t{place / kLanes} * kThreads + thread_) * kLanes + place % kLanes;
  }

  __device__ __forceinline__ int64_t element_column(int place) const { return int64_t{place} * kThreads + thread_; }

  __device__ __forceinline__ void read_lanes() {
#pragma unroll
    for (int group = 0; group < kPerThread / kLanes; ++group) {
      const int64_t column = lane_column(group * kLanes);
      if (column < shape_.columns) {
        const Lanes<float, kLanes> lanes = load_row_lanes<kLanes>(load_, row_, column);
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          values_[group * kLanes + lane] = lanes[lane];
        }
      }
    }
  }

  __device__ __forceinline__ void read_elements() {
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      if (element_column(place) < shape_.columns) {
        values_[place] = load_(row_, element_column(place));
      }
    }
  }

  __device__ __forceinline__ Lanes<float, kLanes> group_at(int group) const {
    Lanes<float, kLanes> lanes;
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = values_[group * kLanes + lane];
    }
    return lanes;
  }

  const Load& load_;
  const RowShape& shape_;
  int64_t row_;
  int thread_;
  bool resident_;
  float values_[kPerThread];
};

}  // namespace stitch
