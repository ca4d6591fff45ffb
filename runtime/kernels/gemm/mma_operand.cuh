// SPDX-License-Identifier: Apache-2.0
// Brings tiles of one operand of a tensor-core GEMM into shared memory. begin() starts a tile, finish() ends what
// begin() could not leave to the hardware; between them the block multiplies an older tile.
#pragma once

#include "kernels/gemm/ffma_operand.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Which part of a tile a thread moves: kGroups groups of 4 neighbours along the contiguous axis, `kStep` apart along
// the other axis.
template <int kOuter, int kDepth, int kThreads, Layout kLayout>
struct TilePart {
  static constexpr bool kAlongK = kLayout == Layout::kContiguousK;
  static constexpr int kGroupsInRow = (kAlongK ? kDepth : kOuter) / 4;
  static constexpr int kRows = kAlongK ? kOuter : kDepth;
  static constexpr int kStep = kThreads / kGroupsInRow;
  static constexpr int kGroups = kRows / kStep;
  static_assert(kThreads % kGroupsInRow == 0 && kRows % kStep == 0, "every thread moves whole groups");

  static __device__ __forceinline__ int row(int group) {
    return static_cast<int>(threadIdx.x) / kGroupsInRow + group * kStep;
  }
  static __device__ __forceinline__ int first() { return static_cast<int>(threadIdx.x) % kGroupsInRow * 4; }
  static __device__ __forceinline__ int outer(int group) { return kAlongK ? row(group) : first(); }
  static __device__ __forceinline__ int k(int group) { return kAlongK ? first() : row(group); }
};

// Straight from global to shared memory.
template <int kOuter, int kDepth, int kThreads, Layout kLayout>
class MmaAsyncOperand {
 public:
  static constexpr Layout layout = kLayout;

  __device__ __forceinline__ MmaAsyncOperand(const OperandView<float>& view, int64_t first_outer, int64_t k_end)
      : view_(view), first_outer_(first_outer), k_end_(k_end) {}

  __device__ __forceinline__ void begin(float* tile, int64_t k_start) const {
#pragma unroll
    for (int group = 0; group < Part::kGroups; ++group) {
      const int64_t outer = first_outer_ + Part::outer(group);
      const int64_t k = k_start + Part::k(group);
      float* target = tile + MmaTileLayout<kOuter, kDepth, kLayout>::offset(Part::outer(group), Part::k(group));
      copy_group(target, outer, k);
    }
  }

  __device__ __forceinline__ void finish(float*) const {}

  __device__ __forceinline__ float element(int64_t outer, int64_t k) const {
    return view_.data[outer * view_.outer_stride + k * view_.k_stride];
  }

 private:
  using Part = TilePart<kOuter, kDepth, kThreads, kLayout>;

  __device__ __forceinline__ void copy_group(float* target, int64_t outer, int64_t k) const {
    const int64_t rest = Part::kAlongK ? k_end_ - k : view_.outer_extent - outer;
    const bool other_inside = Part::kAlongK ? outer < view_.outer_extent : k < k_end_;
    const int valid = !other_inside || rest <= 0 ? 0 : rest < 4 ? static_cast<int>(rest) : 4;
    const float* source = valid > 0 ? view_.data + outer * view_.outer_stride + k * view_.k_stride : view_.data;
    if (view_.aligned) {
      ptx::cp_async_16(target, source, valid * 4);
      return;
    }
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
      ptx::cp_async_4(target + lane, lane < valid ? source + lane : view_.data, lane < valid ? 4 : 0);
    }
  }

  OperandView<float> view_;
  int64_t first_outer_;
  int64_t k_end_;
};

// By way of registers, through a functor on each element: float operator()(outer, k, value).
template <int kOuter, int kDepth, int kThreads, Layout kLayout, typename Transform>
class MmaTransformedOperand {
 public:
  static constexpr Layout layout = kLayout;

  __device__ __forceinline__ MmaTransformedOperand(const OperandView<float>& view, int64_t first_outer, int64_t k_end,
                                                   const Transform& transform)
      : view_(view), transform_(transform), first_outer_(first_outer), k_end_(k_end) {}

  __device__ __forceinline__ void begin(float*, int64_t k_start) {
#pragma unroll
    for (int group = 0; group < Part::kGroups; ++group) {
      groups_[group] = load_transformed_group<Part::kAlongK>(view_, transform_, first_outer_ + Part::outer(group),
                                                             k_start + Part::k(group), k_end_);
    }
  }

  __device__ __forceinline__ void finish(float* tile) const {
#pragma unroll
    for (int group = 0; group < Part::kGroups; ++group) {
      store_lanes(tile + MmaTileLayout<kOuter, kDepth, kLayout>::offset(Part::outer(group), Part::k(group)),
                  groups_[group]);
    }
  }

  __device__ __forceinline__ float element(int64_t outer, int64_t k) const {
    return transform_(outer, k, view_.data[outer * view_.outer_stride + k * view_.k_stride]);
  }

 private:
  using Part = TilePart<kOuter, kDepth, kThreads, kLayout>;

  OperandView<float> view_;
  Transform transform_;
  int64_t first_outer_;
  int64_t k_end_;
  Lanes<float, 4> groups_[Part::kGroups];
};

}  // namespace stitch
