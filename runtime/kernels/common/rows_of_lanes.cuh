// SPDX-License-Identifier: Apache-2.0
// Short rows, each shared by some lanes of a warp, of which several are read and normalised at once.
#pragma once

#include "kernels/common/row.cuh"
#include "kernels/common/warp.cuh"
#include "kernels/reduce/accumulators.cuh"

namespace stitch {

constexpr int kLanesOfRow = 4;  // elements that a thread has side by side
constexpr int kLaneBlockThreads = 128;
constexpr int kLaneRowsAtOnce = 4;  // of a thread

// Elements of several rows, of which a thread has the same columns.
template <int kThreads, int kPerThread, int kRows>
struct RowsOfLanes {
  float values[kRows][kPerThread];

  static __device__ __forceinline__ int64_t column(int place) {
    const int64_t group = place / kLanesOfRow;
    return (group * kThreads + threadIdx.x % kThreads) * kLanesOfRow + place % kLanesOfRow;
  }

  // No load waits for a decision: the last columns are read instead of those beyond.
  template <typename Load>
  __device__ __forceinline__ void read(int index, const Load& load, int64_t row, int64_t columns, bool vectorised) {
#pragma unroll
    for (int group = 0; group < kPerThread / kLanesOfRow; ++group) {
      const int64_t first = column(group * kLanesOfRow);
      if (vectorised) {
        const int64_t last = columns - kLanesOfRow;
        const Lanes<float, kLanesOfRow> lanes = load_row_lanes<kLanesOfRow>(load, row, first < last ? first : last);
#pragma unroll
        for (int lane = 0; lane < kLanesOfRow; ++lane) {
          values[index][group * kLanesOfRow + lane] = lanes[lane];
        }
      } else {
#pragma unroll
        for (int lane = 0; lane < kLanesOfRow; ++lane) {
          const int64_t last = columns - 1;
          values[index][group * kLanesOfRow + lane] = load(row, first + lane < last ? first + lane : last);
        }
      }
    }
  }

  // (x - mean) / sqrt(variance + epsilon), of two passes over a row. Every lane of the warp must call it.
  __device__ __forceinline__ void normalise(int index, int64_t columns, float epsilon) {
    const float inverse_count = 1.0f / static_cast<float>(columns);
    SumAccumulator part = SumAccumulator::identity();
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      part.sum += column(place) < columns ? values[index][place] : 0.0f;
    }
    const float mean = warp_merge<kThreads>(part).sum * inverse_count;
    part = SumAccumulator::identity();
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      values[index][place] -= mean;
      part.sum += column(place) < columns ? square(values[index][place]) : 0.0f;
    }
    const float scale = 1.0f / sqrtf(warp_merge<kThreads>(part).sum * inverse_count + epsilon);
#pragma unroll
    for (int place = 0; place < kPerThread; ++place) {
      values[index][place] *= scale;
    }
  }

  template <typename Store>
  __device__ __forceinline__ void write(int index, const Store& store, int64_t row, int64_t columns,
                                        bool vectorised) const {
#pragma unroll
    for (int group = 0; group < kPerThread / kLanesOfRow; ++group) {
      const int64_t first = column(group * kLanesOfRow);
      Lanes<float, kLanesOfRow> lanes;
#pragma unroll
      for (int lane = 0; lane < kLanesOfRow; ++lane) {
        lanes[lane] = values[index][group * kLanesOfRow + lane];
      }
      if (vectorised) {
        if (first < columns) {
          store_row_lanes<kLanesOfRow>(store, row, first, lanes);
        }
        continue;
      }
#pragma unroll
      for (int lane = 0; lane < kLanesOfRow; ++lane) {
        if (first + lane < columns) {
          store(row, first + lane, lanes[lane]);
        }
      }
    }
  }
};

}  // namespace stitch
