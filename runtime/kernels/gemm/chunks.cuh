// SPDX-License-Identifier: Apache-2.0
// Operands that a block of the GEMM in chunks (kernels/gemm/wgmma_chunks.cuh) splits into fp16 parts itself: of a row,
// each 32 along K have a scale of their own, so that nobody has to have seen the whole row before. Parts lie in shared
// memory as a block of planes does (kernels/gemm/planes.cuh).
#pragma once

#include "kernels/gemm/mma_operand.cuh"
#include "kernels/gemm/planes.cuh"

namespace stitch {

namespace chunk_detail {

constexpr int kSplitters = 128;  // threads that split an operand
constexpr int kPieces = PlaneBlock::k / split_detail::kPiece;
// A chunk much smaller than others of its row has small parts rather than none: what undoes this scale, times any of
// the other operand's, still is a float.
constexpr int kMostShift = 100;

__device__ __forceinline__ split_detail::RowScale chunk_scale(uint32_t largest) {
  constexpr float kSmall = 0x1p-6f;
  static_assert(fp16_detail::kLargestAt - split_detail::kSmallest == -6);
  if (largest == 0) {
    return {1.0f, 1.0f, 0.0f};
  }
  const int shift = fp16_detail::kLargestAt + 127 - static_cast<int>(largest >> 23);
  if (shift < -fp16_detail::kMostScale) {  // of NaN and infinity too
    return {0.0f, __uint_as_float(fp16_detail::kNan), 0.0f};
  }
  const int kept = shift < kMostShift ? shift : kMostShift;
  return {__int_as_float((127 + kept) << 23), __int_as_float((127 - kept) << 23), kSmall};
}

// kWide: four neighbours along K are read at once, where rows start at multiples of 16 bytes and K is one of four.
//
// kRows rows of an operand and what of them is on its way from memory: kAhead chunks. By kSplitters threads.
//
// Contiguous along K: four threads a row, rows of a warp numbered so that eight threads store to different banks.
// Across K: a thread has a row.
template <int kRows, Layout kLayout, bool kWide, int kAhead>
class ChunkRows {
 public:
  using Piece = float[split_detail::kPiece];
  static constexpr bool kAlongK = kLayout == Layout::kContiguousK;
  static constexpr int kHeld = kAlongK ? kRows * kPieces / kSplitters : kPieces;  // pieces of a thread
  static constexpr int kCounted = kAlongK ? kHeld : 1;                            // rows of a thread
  static_assert(kAlongK || kRows <= kSplitters);

  // From `begin` to `end` along K.
  __device__ __forceinline__ ChunkRows(const OperandView<float>& operand, int64_t row, int64_t begin, int64_t end,
                                       int thread)
      : left_(end - begin), k_stride_(operand.k_stride), thread_(thread) {
#pragma unroll
    for (int i = 0; i < kCounted; ++i) {
      const int64_t wanted = row + row_of(i);
      const int64_t last = operand.outer_extent - 1;
      next_[i] = operand.data + (wanted < last ? wanted : last) * operand.outer_stride +
                 (begin + (kAlongK ? piece_of(i) * split_detail::kPiece : 0)) * operand.k_stride;
    }
  }

  __device__ __forceinline__ bool has_rows() const { return kAlongK || thread_ < kRows; }

  // The next chunk, if there is one.
  __device__ __forceinline__ void load(int slot) {
    const int left = static_cast<int>(left_ < PlaneBlock::k ? left_ : PlaneBlock::k);
    left_ -= PlaneBlock::k;
    if (left <= 0 || !has_rows()) {
      return;
    }
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      if constexpr (kAlongK) {
        load_along(held_[slot][i], next_[i], left - piece_of(i) * split_detail::kPiece);
        next_[i] += PlaneBlock::k;
      } else {
        load_across(held_[slot][i], left - i * split_detail::kPiece);
      }
    }
  }

  // `unscale`: of the chunk's rows.
  __device__ __forceinline__ void split(int slot, unsigned char* planes, float* unscale) {
    if (!has_rows()) {
      return;
    }
    split_detail::RowScale scale = row_scale(slot);
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      if (kAlongK) {
        scale = piece_scale(slot, i);
      }
      if (kAlongK ? thread_ % kPieces == 0 : i == 0) {
        unscale[row_of(i)] = scale.unscale;
      }
      const int counted = kAlongK ? i : 0;
      split_detail::split_piece(held_[slot][i], scale, nonzero_[counted], small_[counted])
          .store(planes, 1, row_of(i), piece_of(i) * split_detail::kPiece);
    }
  }

  // Whether too many elements of a row have lost bits. By all threads of a warp.
  __device__ __forceinline__ bool has_lost() const {
    bool has = false;
#pragma unroll
    for (int i = 0; i < kCounted; ++i) {
      unsigned nonzero = nonzero_[i];
      unsigned small = small_[i];
      for (int distance = 1; kAlongK && distance < kPieces; distance *= 2) {
        nonzero += __shfl_xor_sync(0xffffffffu, nonzero, distance);
        small += __shfl_xor_sync(0xffffffffu, small, distance);
      }
      has = has || int64_t{small} * split_detail::kMaySuffer > int64_t{nonzero};
    }
    return has;
  }

 private:
  __device__ __forceinline__ int row_of(int i) const {
    const int lane_row = thread_ % kWarpThreads / kPieces;
    return kAlongK ? i * (kSplitters / kPieces) + thread_ / kWarpThreads * 8 + lane_row / 2 + lane_row % 2 * 4
                   : thread_;
  }
  __device__ __forceinline__ int piece_of(int i) const { return kAlongK ? thread_ % kPieces : i; }

  __device__ __forceinline__ split_detail::RowScale piece_scale(int slot, int i) const {
    uint32_t largest = split_detail::largest_bits(held_[slot][i]);
#pragma unroll
    for (int distance = 1; distance < kPieces; distance *= 2) {
      largest = max(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
    }
    return chunk_scale(largest);
  }
  __device__ __forceinline__ split_detail::RowScale row_scale(int slot) const {
    uint32_t largest = 0;
#pragma unroll
    for (int i = 0; i < kHeld && !kAlongK; ++i) {
      largest = max(largest, split_detail::largest_bits(held_[slot][i]));
    }
    return chunk_scale(largest);
  }

  static __device__ __forceinline__ void load_along(Piece& values, const float* from, int left) {
    constexpr int kLanes = kWide ? 4 : 1;
#pragma unroll
    for (int first = 0; first < split_detail::kPiece; first += kLanes) {
      const Lanes<float, kLanes> lanes = first < left ? load_lanes<kLanes>(from + first) : Lanes<float, kLanes>{};
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        values[first + lane] = lanes[lane];
      }
    }
  }
  __device__ __forceinline__ void load_across(Piece& values, int left) {
#pragma unroll
    for (int element = 0; element < split_detail::kPiece; ++element) {
      values[element] = element < left ? *next_[0] : 0.0f;
      next_[0] += k_stride_;
    }
  }

  const float* next_[kCounted];  // of this thread's next elements
  int64_t left_;                 // along K, from the next chunk on
  int64_t k_stride_;
  int thread_;
  unsigned nonzero_[kCounted] = {};
  unsigned small_[kCounted] = {};
  Piece held_[kAhead][kHeld] = {};
};

}  // namespace chunk_detail

}  // namespace stitch
