// SPDX-License-Identifier: Apache-2.0
// Brings tiles of one operand of a tensor-core GEMM into shared memory. begin() starts a tile, finish() ends what
// begin() could not leave to the hardware; between them the block multiplies an older tile.
#pragma once

#include "kernels/gemm/ffma_operand.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Which part of a tile a thread moves: kGroups groups of kWidth neighbours along the contiguous axis, `kStep` apart
// along the other axis.
template <int kOuter, int kDepth, int kThreads, Layout kLayout, int kWidth = 4>
struct TilePart {
  static constexpr bool kAlongK = kLayout == Layout::kContiguousK;
  static constexpr int kGroupsInRow = (kAlongK ? kDepth : kOuter) / kWidth;
  static constexpr int kRows = kAlongK ? kOuter : kDepth;
  static constexpr int kStep = kThreads / kGroupsInRow;
  static constexpr int kGroups = kRows / kStep;
  static_assert(kThreads % kGroupsInRow == 0 && kRows % kStep == 0, "every thread moves whole groups");

  static __device__ __forceinline__ int row(int group) {
    return static_cast<int>(threadIdx.x / kGroupsInRow) + group * kStep;
  }
  static __device__ __forceinline__ int first() { return static_cast<int>(threadIdx.x % kGroupsInRow) * kWidth; }
  static __device__ __forceinline__ int outer(int group) { return kAlongK ? row(group) : first(); }
  static __device__ __forceinline__ int k(int group) { return kAlongK ? first() : row(group); }
};

// True when copies of 16 bytes are possible and the rows of a tile are near enough for 32-bit offsets.
template <typename T>
__host__ bool copies_wide(const StridedMatrix<T>& matrix, int64_t other_stride) {
  constexpr int64_t kMostRows = 256;
  return groups_aligned(matrix, other_stride) && other_stride >= 0 && other_stride < (int64_t{1} << 31) / kMostRows;
}

template <bool kWide>
struct OffsetOf {
  using Type = uint32_t;
};
template <>
struct OffsetOf<false> {
  using Type = int64_t;
};

// Straight from global to shared memory: 16 bytes a copy where copies_wide(), else 4. Tiles that lie wholly before
// k_end take a path without tests: where a thread's rows start and how far apart they are is found once, and rows
// beyond the operand read its last one, since nothing made of them is stored.
template <int kOuter, int kDepth, int kThreads, Layout kLayout, bool kWide>
class MmaAsyncOperand {
 public:
  static constexpr Layout layout = kLayout;

  __device__ __forceinline__ MmaAsyncOperand(const OperandView<float>& view, int64_t first_outer, int64_t k_end)
      : view_(view), first_outer_(first_outer), k_end_(k_end) {
    const int64_t last = view_.outer_extent - 1;
    const int64_t wanted = first_outer_ + Part::outer(0);
    const int64_t outer = wanted < last ? wanted : last;
    source_ = view_.data + outer * view_.outer_stride + Part::k(0) * view_.k_stride;
    step_ = static_cast<Offset>(Part::kStep * (kAlongK ? view_.outer_stride : view_.k_stride));
    const int64_t rows = (last - outer) / Part::kStep;
    last_group_ = rows < Part::kGroups ? static_cast<int>(rows) : Part::kGroups;
    const int64_t rest = view_.outer_extent - wanted;
    valid_bytes_ = rest <= 0 ? 0 : static_cast<int>(rest < kWidth ? rest : kWidth) * 4;
  }

  __device__ __forceinline__ void begin(float* tile, int64_t k_start) const {
    if (k_start + kDepth > k_end_) {
      copy_last(tile, k_start);
      return;
    }
    const float* source = source_ + (kAlongK ? k_start : k_start * view_.k_stride);
#pragma unroll(kWide ? Part::kGroups : 4)
    for (int group = 0; group < Part::kGroups; ++group) {
      const int steps = !kAlongK || group < last_group_ ? group : last_group_;
      copy(tile + TileLayout::offset(Part::outer(group), Part::k(group)), source + steps * step_);
    }
  }

  __device__ __forceinline__ void finish(float*) const {}

  __device__ __forceinline__ float element(int64_t outer, int64_t k) const {
    return view_.data[outer * view_.outer_stride + k * view_.k_stride];
  }

 private:
  static constexpr int kWidth = kWide ? 4 : 1;
  using Part = TilePart<kOuter, kDepth, kThreads, kLayout, kWidth>;
  using TileLayout = MmaTileLayout<kOuter, kDepth, kLayout>;
  static constexpr bool kAlongK = kLayout == Layout::kContiguousK;
  using Offset = typename OffsetOf<kWide>::Type;

  __device__ __forceinline__ void copy(float* target, const float* source) const {
    if constexpr (kWide && kAlongK) {
      ptx::cp_async_16(target, source);
    } else if constexpr (kWide) {
      ptx::cp_async_16(target, source, valid_bytes_);
    } else if constexpr (kAlongK) {
      ptx::cp_async_4(target, source);
    } else {
      ptx::cp_async_4(target, source, valid_bytes_);
    }
  }

  // The tile in which K ends: zeros behind the end.
  __device__ __forceinline__ void copy_last(float* tile, int64_t k_start) const {
#pragma unroll 1
    for (int group = 0; group < Part::kGroups; ++group) {
      const int64_t outer = first_outer_ + Part::outer(group);
      const int64_t k = k_start + Part::k(group);
      const int64_t rest = kAlongK ? k_end_ - k : view_.outer_extent - outer;
      const bool other_inside = kAlongK ? outer < view_.outer_extent : k < k_end_;
      const int valid = !other_inside || rest <= 0 ? 0 : rest < kWidth ? static_cast<int>(rest) : kWidth;
      const float* source = valid > 0 ? view_.data + outer * view_.outer_stride + k * view_.k_stride : view_.data;
      float* target = tile + TileLayout::offset(Part::outer(group), Part::k(group));
      if constexpr (kWide) {
        ptx::cp_async_16(target, source, valid * 4);
      } else {
        ptx::cp_async_4(target, source, valid * 4);
      }
    }
  }

  OperandView<float> view_;
  int64_t first_outer_;
  int64_t k_end_;
  const float* source_;  // this thread's first group, at K = 0
  Offset step_;          // from one of its groups to the next
  int last_group_;       // the last one inside the operand (along K)
  int valid_bytes_;      // of each of its groups (across K)
};

// By way of registers, through a functor on each element: float operator()(outer, k, value).
template <int kOuter, int kDepth, int kThreads, Layout kLayout, typename Transform, typename T = float>
class MmaTransformedOperand {
 public:
  static constexpr Layout layout = kLayout;

  __device__ __forceinline__ MmaTransformedOperand(const OperandView<T>& view, int64_t first_outer, int64_t k_end,
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
    return transform_(outer, k, to_float(view_.data[outer * view_.outer_stride + k * view_.k_stride]));
  }

 private:
  using Part = TilePart<kOuter, kDepth, kThreads, kLayout>;

  OperandView<T> view_;
  Transform transform_;
  int64_t first_outer_;
  int64_t k_end_;
  Lanes<float, 4> groups_[Part::kGroups];
};

}  // namespace stitch
