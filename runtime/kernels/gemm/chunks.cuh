// SPDX-License-Identifier: Apache-2.0
// Operands that a block of the GEMM in chunks (kernels/gemm/wgmma_chunks.cuh) splits into fp16 parts itself: of a row,
// each 32 along K have a scale of their own, so that nobody has to have seen the whole row before. Parts lie in shared
// memory as a block of planes does (kernels/gemm/planes.cuh).
#pragma once

#include "kernels/gemm/mma_operand.cuh"
#include "kernels/gemm/planes.cuh"
#include "ptx/cp_async.cuh"

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

using Piece = float[split_detail::kPiece];

__device__ __forceinline__ float largest_of(const Piece& values) {
  float largest = 0.0f;
#pragma unroll
  for (const float value : values) {
    largest = fmaxf(largest, fabsf(value));  // not a NaN: its parts are NaN in any scale
  }
  return largest;
}

// Of a row's elements, by one thread.
struct Counts {
  unsigned zeros = 0;
  unsigned small = 0;  // lose bits, and are not zero
};

// Two parts of a piece. Elements are looked at one by one only where there is one that counts.
__device__ __forceinline__ split_detail::SplitPiece split_counted(const Piece& values,
                                                                  const split_detail::RowScale& row, Counts& counts) {
  uint32_t upper[split_detail::kPiece / 2];
  uint32_t lower[split_detail::kPiece / 2];
  float least = row.small;
#pragma unroll
  for (int pair = 0; pair < split_detail::kPiece / 2; ++pair) {
    const float x = values[2 * pair] * row.scale;
    const float y = values[2 * pair + 1] * row.scale;
    least = fminf(least, fminf(fabsf(x), fabsf(y)));
    upper[pair] = ptx::pack_fp16x2(x, y);
    lower[pair] = ptx::pack_fp16x2(x - ptx::low_fp16(upper[pair]), y - ptx::high_fp16(upper[pair]));
  }
  if (least < row.small) {
#pragma unroll
    for (const float value : values) {
      const bool is_zero = value == 0.0f;
      counts.zeros += is_zero ? 1u : 0u;
      counts.small += !is_zero && fabsf(value * row.scale) < row.small ? 1u : 0u;
    }
  }
  return {{upper[0], upper[1], upper[2], upper[3]}, {lower[0], lower[1], lower[2], lower[3]}};
}

// kRows rows of an operand and what of them is on its way from memory: kAhead chunks, in registers or in shared memory.
// By kSplitters threads. kWide: four neighbours along K are read at once, where rows start at multiples of 16 bytes and
// K is a multiple of four.
//
// Contiguous along K: four threads a row, rows of a warp numbered so that eight threads store to different banks.
// Across K: a thread has a row.
template <int kRows, Layout kLayout, bool kWide, int kAhead, bool kInShared>
class ChunkRows {
 public:
  static constexpr bool kAlongK = kLayout == Layout::kContiguousK;
  static constexpr int kHeld = kAlongK ? kRows * kPieces / kSplitters : kPieces;  // pieces of a thread
  static constexpr int kCounted = kAlongK ? kHeld : 1;                            // rows of a thread
  static_assert(kAlongK || kRows <= kSplitters);

  // From `begin` to `end` along K. `brought`: shared memory for kAhead chunks of the rows.
  __device__ __forceinline__ ChunkRows(const OperandView<float>& operand, int64_t row, int64_t begin, int64_t end,
                                       int thread, float* brought)
      : left_(end - begin), k_stride_(operand.k_stride), thread_(thread), brought_(brought) {
#pragma unroll
    for (int i = 0; i < kCounted; ++i) {
      const int64_t wanted = row + row_of(i);
      const int64_t last = operand.outer_extent - 1;
      next_[i] = operand.data + (wanted < last ? wanted : last) * operand.outer_stride +
                 (begin + (kAlongK ? piece_of(i) * split_detail::kPiece : 0)) * operand.k_stride;
    }
  }

  __device__ __forceinline__ bool has_rows() const { return kAlongK || thread_ < kRows; }

  // Begins to load the next chunk, if there is one.
  __device__ __forceinline__ void load(int slot) {
    const int left = static_cast<int>(left_ < PlaneBlock::k ? left_ : PlaneBlock::k);
    left_ -= PlaneBlock::k;
    if (left > 0 && has_rows()) {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        const int left_of_piece = left - piece_of(i) * split_detail::kPiece;
        if constexpr (kInShared) {
          bring_piece(slot, i, left_of_piece);
        } else {
          read_piece(held_[slot][i], i, left_of_piece);
        }
      }
    }
    if constexpr (kInShared) {
      ptx::cp_async_commit();
    }
  }

  // Splits the oldest chunk that was loaded, and loads another one in its place. `unscale`: of the chunk's rows.
  __device__ __forceinline__ void split(int slot, unsigned char* planes, float* unscale) {
    if constexpr (kInShared) {
      ptx::cp_async_wait<kAhead - 1>();
    }
    if (has_rows()) {
      split_pieces(slot, planes, unscale);
    }
    ++chunks_;
    load(slot);
  }

  // Whether too many elements of a row have lost bits. By all threads of a warp.
  __device__ __forceinline__ bool has_lost() const {
    const unsigned all = chunks_ * (kAlongK ? split_detail::kPiece : PlaneBlock::k);
    bool has = false;
#pragma unroll
    for (int i = 0; i < kCounted; ++i) {
      unsigned nonzero = all - counts_[i].zeros;
      unsigned small = counts_[i].small;
      for (int distance = 1; kAlongK && distance < kPieces; distance *= 2) {
        nonzero += __shfl_xor_sync(0xffffffffu, nonzero, distance);
        small += __shfl_xor_sync(0xffffffffu, small, distance);
      }
      has = has || int64_t{small} * split_detail::kMaySuffer > int64_t{nonzero};
    }
    return has;
  }

 private:
  static constexpr int kTogether = kInShared && kAlongK && kWide ? 4 : 1;  // of shared memory

  __device__ __forceinline__ int row_of(int i) const {
    const int lane_row = thread_ % kWarpThreads / kPieces;
    return kAlongK ? i * (kSplitters / kPieces) + thread_ / kWarpThreads * 8 + lane_row / 2 + lane_row % 2 * 4
                   : thread_;
  }
  __device__ __forceinline__ int piece_of(int i) const { return kAlongK ? thread_ % kPieces : i; }

  // This thread's own place, which no other thread reads.
  __device__ __forceinline__ float* brought(int slot, int piece, int element) const {
    constexpr int kOfThreads = kAlongK ? kSplitters : kRows;
    const int group = (slot * kHeld + piece) * (split_detail::kPiece / kTogether) + element / kTogether;
    return brought_ + (group * kOfThreads + thread_) * kTogether;
  }

  __device__ __forceinline__ void bring_piece(int slot, int i, int left) {
#pragma unroll
    for (int element = 0; element < split_detail::kPiece; element += kTogether) {
      float* to = brought(slot, i, element);
      if constexpr (kTogether == 4) {
        ptx::cp_async_16(to, next_[i] + element, element < left ? 16 : 0);
      } else {
        ptx::cp_async_4_or_zero(to, kAlongK ? next_[i] + element : next_[0], element < left);
        step_across();
      }
    }
    step_along(i);
  }
  __device__ __forceinline__ void read_piece(Piece& values, int i, int left) {
    constexpr int kLanes = kWide && kAlongK ? 4 : 1;
#pragma unroll
    for (int first = 0; first < split_detail::kPiece; first += kLanes) {
      const float* from = kAlongK ? next_[i] + first : next_[0];
      const Lanes<float, kLanes> lanes = first < left ? load_lanes<kLanes>(from) : Lanes<float, kLanes>{};
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        values[first + lane] = lanes[lane];
      }
      step_across();
    }
    step_along(i);
  }
  __device__ __forceinline__ void step_across() {
    if constexpr (!kAlongK) {
      next_[0] += k_stride_;
    }
  }
  __device__ __forceinline__ void step_along(int i) {
    if constexpr (kAlongK) {
      next_[i] += PlaneBlock::k;
    }
  }

  __device__ __forceinline__ void take_piece(Piece& values, int slot, int i) const {
#pragma unroll
    for (int element = 0; element < split_detail::kPiece; element += kTogether) {
      if constexpr (kInShared) {
        const Lanes<float, kTogether> lanes = load_lanes<kTogether>(brought(slot, i, element));
#pragma unroll
        for (int lane = 0; lane < kTogether; ++lane) {
          values[element + lane] = lanes[lane];
        }
      } else {
        values[element] = held_[slot][i][element];
      }
    }
  }

  // Of a row, whose pieces several threads have, or one.
  __device__ __forceinline__ float largest_of_row(const Piece& values, int slot) const {
    float largest = 0.0f;
    if constexpr (kAlongK) {
      largest = largest_of(values);
#pragma unroll
      for (int distance = 1; distance < kPieces; distance *= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, distance));
      }
    } else {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        Piece other;
        take_piece(other, slot, i);
        largest = fmaxf(largest, largest_of(other));
      }
    }
    return largest;
  }

  __device__ __forceinline__ void split_pieces(int slot, unsigned char* planes, float* unscale) {
    split_detail::RowScale scale{};
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      Piece values;
      take_piece(values, slot, i);
      if (kAlongK || i == 0) {
        scale = chunk_scale(__float_as_uint(largest_of_row(values, slot)));
      }
      if (kAlongK ? thread_ % kPieces == 0 : i == 0) {
        unscale[row_of(i)] = scale.unscale;
      }
      split_counted(values, scale, counts_[kAlongK ? i : 0])
          .store(planes, 1, row_of(i), piece_of(i) * split_detail::kPiece);
    }
  }

  const float* next_[kCounted];  // of this thread's next elements
  int64_t left_;                 // along K, from the next chunk on
  int64_t k_stride_;
  int thread_;
  float* brought_;
  unsigned chunks_ = 0;
  Counts counts_[kCounted] = {};
  Piece held_[kInShared ? 1 : kAhead][kHeld] = {};
};

}  // namespace chunk_detail

}  // namespace stitch
