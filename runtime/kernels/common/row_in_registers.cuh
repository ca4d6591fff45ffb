// SPDX-License-Identifier: Apache-2.0
// A row shared by kThreads threads, of which each keeps up to kPerThread elements in registers: read once, used by
// several passes. Rows longer than kCapacity are accumulated in one pass, and read again for what is written.
#pragma once

#include "kernels/common/row.cuh"
#include "kernels/common/row_range.cuh"
#include "kernels/common/warp.cuh"

namespace stitch {

// Blocks that a multiprocessor must have room for: while one waits for its row another reads.
template <int kThreads, int kPerThread>
inline constexpr int kRowBlocks = (kPerThread <= 8 ? 1536 : 1024) / kRowBlockThreads<kThreads>;

template <int kThreads, int kPerThread, typename Load>
class RowInRegisters {
 public:
  static constexpr int kLanes = 4;
  static constexpr int64_t kCapacity = int64_t{kThreads} * kPerThread;
  static_assert(kPerThread % kLanes == 0, "a thread keeps whole groups of 4 elements");

  __device__ __forceinline__ RowInRegisters(const Load& load, const RowShape& shape, int64_t row, int thread)
      : load_(load), shape_(shape), row_(row), thread_(thread), resident_(shape.columns <= kCapacity) {
    if (resident_) {
      read();
    }
  }

  // Up to kCapacity elements from `begin`, a multiple of 4 within the row, that are resident however long the row is.
  __device__ __forceinline__ RowInRegisters(const Load& load, const RowShape& shape, int64_t row, int thread,
                                            int64_t begin)
      : load_(load), shape_(shape), row_(row), begin_(begin), thread_(thread), resident_(true) {
    read();
  }

  // visit(value) for each of this thread's elements, of a row that is resident; it may change them.
  template <typename Visit>
  __device__ __forceinline__ void for_each(const Visit& visit) {
    if (shape_.vectorised) {
#pragma unroll
      for (int group = 0; group < kPerThread / kLanes; ++group) {
        if (lane_column(group) < shape_.columns) {
#pragma unroll
          for (int lane = 0; lane < kLanes; ++lane) {
            visit(values_[group * kLanes + lane]);
          }
        }
      }
      return;
    }
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      if (element_column(place) < shape_.columns) {
        visit(values_[place]);
      }
    }
  }

  // Accumulates term(row, column, value) of this thread's elements, of a row that is resident: all at once where it has
  // as many as it may.
  template <typename Accumulator, typename Term>
  __device__ __forceinline__ Accumulator accumulate_resident(const Term& term) const {
    Accumulator accumulator = Accumulator::identity();
    if (column(kPerThread - 1) < shape_.columns) {
      float terms[kPerThread];
#pragma unroll
      for (int place = 0; place < kPerThread; ++place) {
        terms[place] = term(row_, column(place), values_[place]);
      }
      accumulator.add(terms);
      return accumulator;
    }
    accumulate_some(accumulator, term);
    return accumulator;
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
    if (resident_) {
      write_resident(store, transform);
    } else {
      write_streamed(store, transform);
    }
  }

  // The same of a row that is too long for registers, read again.
  template <typename Store, typename Transform>
  __device__ __forceinline__ void write_streamed(const Store& store, const Transform& transform) const {
    write_range<kThreads>(load_, store, row_, 0, shape_.columns, shape_.vectorised, thread_, transform);
  }

  // The same of a row that is resident.
  template <typename Store, typename Transform>
  __device__ __forceinline__ void write_resident(const Store& store, const Transform& transform) const {
    if (!shape_.vectorised) {
#pragma unroll
      for (int place = 0; place < kPerThread; ++place) {
        if (element_column(place) < shape_.columns) {
          store(row_, element_column(place), transform(values_[place]));
        }
      }
      return;
    }
#pragma unroll
    for (int group = 0; group < kPerThread / kLanes; ++group) {
      if (lane_column(group) < shape_.columns) {
        write_transformed(store, row_, lane_column(group), group_at(group), transform);
      }
    }
  }

 private:
  // Of a group's first element.
  __device__ __forceinline__ int64_t lane_column(int group) const {
    return begin_ + (int64_t{group} * kThreads + thread_) * kLanes;
  }

  __device__ __forceinline__ int64_t element_column(int place) const {
    return begin_ + int64_t{place} * kThreads + thread_;
  }

  __device__ __forceinline__ int64_t column(int place) const {
    return shape_.vectorised ? lane_column(place / kLanes) + place % kLanes : element_column(place);
  }

  template <typename Accumulator, typename Term>
  __device__ __forceinline__ void accumulate_some(Accumulator& accumulator, const Term& term) const {
    if (!shape_.vectorised) {
#pragma unroll
      for (int place = 0; place < kPerThread; ++place) {
        if (element_column(place) < shape_.columns) {
          const float terms[1] = {term(row_, element_column(place), values_[place])};
          accumulator.add(terms);
        }
      }
      return;
    }
#pragma unroll
    for (int group = 0; group < kPerThread / kLanes; ++group) {
      if (lane_column(group) < shape_.columns) {
        float terms[kLanes];
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          terms[lane] = term(row_, lane_column(group) + lane, values_[group * kLanes + lane]);
        }
        accumulator.add(terms);
      }
    }
  }

  __device__ __forceinline__ void read() {
    if (shape_.vectorised) {
      read_lanes();
    } else {
      read_elements();
    }
  }

  // No load waits for a decision: the last columns are read instead of those beyond.
  __device__ __forceinline__ void read_lanes() {
#pragma unroll
    for (int group = 0; group < kPerThread / kLanes; ++group) {
      const int64_t column = lane_column(group);
      const int64_t last = shape_.columns - kLanes;
      const Lanes<float, kLanes> lanes = load_row_lanes<kLanes>(load_, row_, column < last ? column : last);
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        values_[group * kLanes + lane] = lanes[lane];
      }
    }
  }

  __device__ __forceinline__ void read_elements() {
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      const int64_t last = shape_.columns - 1;
      values_[place] = load_(row_, element_column(place) < last ? element_column(place) : last);
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
  int64_t begin_ = 0;
  int thread_;
  bool resident_;
  float values_[kPerThread];
};

}  // namespace stitch
