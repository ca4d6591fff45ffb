// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/operators.cuh>

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

// As in cub, only thread 0 gets the result, and TempStorage may be used again after a __syncthreads.
template <class T, int BlockX, BlockReduceAlgorithm Algorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BlockY = 1,
          int BlockZ = 1>
class BlockReduce {
  static constexpr int kThreads = BlockX * BlockY * BlockZ;
  static constexpr int kWarps = (kThreads + 31) / 32;

 public:
  struct TempStorage {
    alignas(T) char warps[kWarps * sizeof(T)];
  };

  explicit BlockReduce(TempStorage& storage) : warps_(reinterpret_cast<T*>(storage.warps)) {}

  template <class Operation>
  T Reduce(T value, Operation operation, int valid, STITCH_PLACE) {
    const int thread = static_cast<int>(stitch_thread_in_block);
    const int first = thread / 32 * 32;
    const int here = valid - first < 32 ? valid - first : 32;
    value = detail::reduce_lanes(value, operation, detail::warp_lanes(), 32,
                                 static_cast<unsigned int>(here < 0 ? 0 : here), STITCH_PLACE_ARGUMENTS);
    if (thread == first) {
      warps_[thread / 32] = value;
    }
    stitch_barrier(STITCH_PLACE_ARGUMENTS);
    if (thread == 0) {
      for (int warp = 1; warp * 32 < valid; ++warp) {
        value = operation(value, warps_[warp]);
      }
    }
    return value;
  }
  template <class Operation>
  T Reduce(T value, Operation operation, STITCH_PLACE) {
    return Reduce(value, operation, kThreads, STITCH_PLACE_ARGUMENTS);
  }
  template <int Items, class Operation>
  T Reduce(T (&values)[Items], Operation operation, STITCH_PLACE) {
    T value = values[0];
    for (int i = 1; i < Items; ++i) {
      value = operation(value, values[i]);
    }
    return Reduce(value, operation, kThreads, STITCH_PLACE_ARGUMENTS);
  }
  T Sum(T value, STITCH_PLACE) { return Reduce(value, cub::Sum(), kThreads, STITCH_PLACE_ARGUMENTS); }
  T Sum(T value, int valid, STITCH_PLACE) { return Reduce(value, cub::Sum(), valid, STITCH_PLACE_ARGUMENTS); }
  template <int Items>
  T Sum(T (&values)[Items], STITCH_PLACE) {
    return Reduce(values, cub::Sum(), STITCH_PLACE_ARGUMENTS);
  }

 private:
  T* warps_;
};

}  // namespace cub
