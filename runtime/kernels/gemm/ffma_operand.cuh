// SPDX-License-Identifier: Apache-2.0
// Brings tiles of one operand of an fp32 GEMM from global to shared memory by way of registers: fetch() starts the
// loads of a tile, deposit() writes them to shared memory as [k][outer], after the previous tile has been multiplied.
// "Outer" is m for lhs and n for rhs.
#pragma once

#include "kernels/gemm/operands.cuh"

namespace stitch {

// An operand as its tile loader sees it: the outer and the K axis, whichever of lhs and rhs it is.
template <typename T>
struct OperandView {
  const T* data;
  int64_t outer_stride;
  int64_t k_stride;
  int64_t outer_extent;
  bool aligned;  // groups of 4 along the contiguous axis
};

// Four neighbours along the contiguous axis, starting at (outer, k), each through the transform; zeros outside.
template <bool kAlongK, typename T, typename Transform>
__device__ __forceinline__ Lanes<float, 4> load_transformed_group(const OperandView<T>& view,
                                                                  const Transform& transform, int64_t outer, int64_t k,
                                                                  int64_t k_end) {
  const T* source = view.data + outer * view.outer_stride + k * view.k_stride;
  const int64_t first = kAlongK ? k : outer;
  const int64_t limit = kAlongK ? k_end : view.outer_extent;
  const bool other_inside = kAlongK ? outer < view.outer_extent : k < k_end;
  Lanes<float, 4> group = broadcast_lanes<4>(0.0f);
  if (other_inside && view.aligned && first + 4 <= limit) {
    group = load_float_lanes<4>(source);
  } else if (other_inside) {
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
      if (first + lane < limit) {
        group[lane] = to_float(source[lane]);
      }
    }
  }
#pragma unroll
  for (int lane = 0; lane < 4; ++lane) {
    if (other_inside && first + lane < limit) {
      group[lane] = kAlongK ? transform(outer, k + lane, group[lane]) : transform(outer + lane, k, group[lane]);
    }
  }
  return group;
}

template <int kOuter, int kDepth, int kThreads, Layout kLayout, typename T, typename Transform>
class FfmaOperand {
 public:
  static constexpr int kPadding = 4;  // keeps rows 16-byte aligned and spreads the transposing stores over the banks
  static constexpr int kStride = kOuter + kPadding;

  __device__ __forceinline__ FfmaOperand(const OperandView<T>& view, int64_t first_outer, int64_t k_end,
                                         const Transform& transform)
      : view_(view), transform_(transform), first_outer_(first_outer), k_end_(k_end) {
    const int64_t rest = view_.outer_extent - first_outer_;
    outer_inside_ = rest < kOuter ? static_cast<int>(rest) : kOuter;
    const int place = static_cast<int>(threadIdx.x);
    source_ = view_.data + (first_outer_ + outer_of(place)) * view_.outer_stride + depth_of(place) * view_.k_stride;
    step_ = kThreads / kGroupsInRow * (kAlongK ? view_.outer_stride : view_.k_stride);
  }

  __device__ __forceinline__ void fetch(int64_t k_start) {
    if (view_.aligned && outer_inside_ == kOuter && k_start + kDepth <= k_end_) {
      fetch_whole(k_start);
      return;
    }
#pragma unroll
    for (int group = 0; group < kGroupsPerThread; ++group) {
      const int place = static_cast<int>(threadIdx.x) + group * kThreads;
      if (kGroups % kThreads == 0 || place < kGroups) {
        groups_[group] = load_transformed_group<kAlongK>(view_, transform_, first_outer_ + outer_of(place),
                                                         k_start + depth_of(place), k_end_);
      }
    }
  }

  __device__ __forceinline__ void deposit(float* tile) const {
#pragma unroll
    for (int group = 0; group < kGroupsPerThread; ++group) {
      const int place = static_cast<int>(threadIdx.x) + group * kThreads;
      if (kGroups % kThreads != 0 && place >= kGroups) {
        continue;
      }
      float* target = tile + depth_of(place) * kStride + outer_of(place);
      if constexpr (kLayout == Layout::kContiguousOuter) {
        store_lanes(target, groups_[group]);
      } else {
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          target[lane * kStride] = groups_[group][lane];
        }
      }
    }
  }

 private:
  static constexpr int kLanes = 4;
  static constexpr int kGroups = kOuter * kDepth / kLanes;
  static constexpr int kGroupsPerThread = (kGroups + kThreads - 1) / kThreads;
  static constexpr bool kAlongK = kLayout == Layout::kContiguousK;
  static constexpr int kGroupsInRow = (kAlongK ? kDepth : kOuter) / kLanes;
  static_assert(kThreads % kGroupsInRow == 0, "a thread's groups lie at one place of their rows");

  // A tile inside the operand, read in groups: no tests, and the thread's addresses are a fixed step apart.
  __device__ __forceinline__ void fetch_whole(int64_t k_start) {
    const T* source = source_ + k_start * (kAlongK ? 1 : view_.k_stride);
#pragma unroll
    for (int group = 0; group < kGroupsPerThread; ++group) {
      const int place = static_cast<int>(threadIdx.x) + group * kThreads;
      if (kGroups % kThreads == 0 || place < kGroups) {
        groups_[group] = load_float_lanes<kLanes>(source + group * step_);
        const int64_t outer = first_outer_ + outer_of(place);
        const int64_t k = k_start + depth_of(place);
#pragma unroll
        for (int lane = 0; lane < kLanes; ++lane) {
          float& value = groups_[group][lane];
          value = kAlongK ? transform_(outer, k + lane, value) : transform_(outer + lane, k, value);
        }
      }
    }
  }

  static __device__ __forceinline__ int outer_of(unsigned place) {
    return static_cast<int>(kAlongK ? place / kGroupsInRow : place % kGroupsInRow * kLanes);
  }

  static __device__ __forceinline__ int depth_of(unsigned place) {
    return static_cast<int>(kAlongK ? place % kGroupsInRow * kLanes : place / kGroupsInRow);
  }

  OperandView<T> view_;
  Transform transform_;
  int64_t first_outer_;
  int64_t k_end_;
  int outer_inside_;  // of the tile's outer indices
  const T* source_;   // this thread's first group, at K = 0
  int64_t step_;      // from one of its groups to the next
  Lanes<float, kLanes> groups_[kGroupsPerThread];
};

}  // namespace stitch
