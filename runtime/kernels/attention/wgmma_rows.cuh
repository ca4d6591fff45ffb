// SPDX-License-Identifier: Apache-2.0
// What a warpgroup of the attention by wgmma (kernels/attention/flash_wgmma.cuh) keeps in registers: 64 queries in fp16
// parts, their scores with 64 keys, softmax weights, and sums. Of a head of 128 dimensions the queries lie in shared
// memory instead.
//
// With g = lane / 4 and t = lane % 4, a lane of warp w has of rows 16 w + g and 16 w + g + 8 every eighth pair of
// columns from 2 t on: of accumulators, and of operands alike. So weights become the next product's operand in place.
#pragma once

#include "kernels/attention/key_planes.cuh"
#include "ptx/exponential.cuh"
#include "ptx/warpgroup.cuh"
#include "ptx/wgmma_registers.cuh"

namespace stitch {

namespace flash_wgmma_detail {

constexpr float kLog2OfE = 1.4426950408889634f;
// A row's largest weight is two to this: smaller ones then have fp16 parts without loss down to 2^-31 of it.
constexpr float kWeightsAt = 14.0f;

__device__ __forceinline__ uint32_t packed_rest(uint32_t upper, float first, float second) {
  return ptx::pack_fp16x2(first - ptx::low_fp16(upper), second - ptx::high_fp16(upper));
}

// A warpgroup's queries as the left operand, and the inverse of the scale of a lane's two rows.
template <int kHeadDimension, int kProducts, bool kInShared>
class Queries {
 public:
  static constexpr int kSlices = kHeadDimension / 16;
  static constexpr int kGroupRows = 64;
  static constexpr int kSharedBytes = kInShared ? kGroupRows * kHeadDimension * 4 : 0;  // of a warpgroup

  // `shared`: of this warpgroup, where operands lie there. They are there after a barrier of the warpgroup.
  template <typename T>
  __device__ __forceinline__ void load(const T* data, int64_t row_stride, int64_t first_row, int64_t rows,
                                       int64_t dimensions, bool aligned, unsigned char* shared) {
    float values[2][kHeadDimension / 4];
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int own_row = static_cast<int>(threadIdx.x) % 128 / kWarpThreads * 16 + lane / 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      load_row(values[half], data + (first_row + own_row + half * 8) * row_stride,
               first_row + own_row + half * 8 < rows ? dimensions : 0, aligned);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      scale_row(values[half], unscale[half]);
    }
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const float x = values[part % 2][slice * 4 + part / 2 * 2];
        const float y = values[part % 2][slice * 4 + part / 2 * 2 + 1];
        const uint32_t upper = ptx::pack_fp16x2(x, y);
        if constexpr (kInShared) {
          put(shared, own_row + part % 2 * 8, slice, part / 2, upper, packed_rest(upper, x, y));
        } else {
          parts_[0][slice][part] = upper;
          if constexpr (kProducts > 1) {
            parts_[kProducts > 1][slice][part] = packed_rest(upper, x, y);
          }
        }
      }
    }
    if constexpr (kInShared) {
      descriptor_ = ptx::wgmma_operand(shared);
    }
  }

  // Starts a product of 16 dimensions: plane 0 has the upper parts, 1 the lower ones.
  __device__ __forceinline__ void multiply(float (&scores)[32], int plane, int slice, uint64_t keys,
                                           bool accumulate) const {
    if constexpr (kInShared) {
      ptx::wgmma_m64n64k16_f16(scores, descriptor_ + slice / 2 * (kGroupRows * 128 / 16) + plane * 4 + slice % 2 * 2,
                               keys, accumulate);
    } else {
      ptx::wgmma_m64n64k16_f16(scores, parts_[plane][slice], keys, accumulate);
    }
  }

  float unscale[2];  // NaN where fp16 does not hold the row

 private:
  template <typename T>
  static __device__ __forceinline__ void load_row(float (&values)[kHeadDimension / 4], const T* row, int64_t dimensions,
                                                  bool aligned) {
    const int t = static_cast<int>(threadIdx.x) % 4;
#pragma unroll
    for (int pair = 0; pair < kHeadDimension / 8; ++pair) {
      const int dimension = pair * 8 + t * 2;
      if (aligned && dimension + 2 <= dimensions) {
        const Lanes<float, 2> lanes = load_float_lanes<2>(row + dimension);
        values[pair * 2] = lanes[0];
        values[pair * 2 + 1] = lanes[1];
      } else {
        values[pair * 2] = dimension < dimensions ? to_float(row[dimension]) : 0.0f;
        values[pair * 2 + 1] = dimension + 1 < dimensions ? to_float(row[dimension + 1]) : 0.0f;
      }
    }
  }

  // Four lanes hold a row.
  static __device__ __forceinline__ void scale_row(float (&values)[kHeadDimension / 4], float& unscale) {
    uint32_t largest = 0;
#pragma unroll
    for (const float value : values) {
      largest = max(largest, magnitude_bits(value));
    }
    largest = max(largest, __shfl_xor_sync(kFullWarp, largest, 1));
    largest = max(largest, __shfl_xor_sync(kFullWarp, largest, 2));
    const Fp16Scale scale = fp16_scale(largest);
    unscale = scale.unscale;
#pragma unroll
    for (float& value : values) {
      value *= scale.scale;
    }
  }

  static __device__ __forceinline__ void put(unsigned char* shared, int row, int slice, int part, uint32_t upper,
                                             uint32_t lower) {
    unsigned char* line = shared + (slice / 2 * kGroupRows + row) * PlaneBlock::row_bytes;
    const int piece = slice % 2 * 2 + part;
    const int within = static_cast<int>(threadIdx.x) % 4 * 4;
    *reinterpret_cast<uint32_t*>(line + (piece ^ row % 8) * 16 + within) = upper;
    *reinterpret_cast<uint32_t*>(line + ((piece + 4) ^ row % 8) * 16 + within) = lower;
  }

  uint32_t parts_[kProducts > 1 ? 2 : 1][kInShared ? 1 : kSlices][4];
  uint64_t descriptor_;
};

template <int kHeadDimension>
__device__ __forceinline__ void multiply_weights(float (&sums)[kHeadDimension / 2], const uint32_t (&weights)[4],
                                                 uint64_t values, bool accumulate) {
  if constexpr (kHeadDimension == 32) {
    ptx::wgmma_m64n32k16_f16(sums, weights, values, accumulate);
  } else if constexpr (kHeadDimension == 64) {
    ptx::wgmma_m64n64k16_f16(sums, weights, values, accumulate);
  } else if constexpr (kHeadDimension == 96) {
    ptx::wgmma_m64n96k16_f16(sums, weights, values, accumulate);
  } else {
    static_assert(kHeadDimension == 128);
    ptx::wgmma_m64n128k16_f16(sums, weights, values, accumulate);
  }
}

// Softmax and mixture of a warpgroup's queries; what is under way on the tensor cores, the caller waits for.
template <int kHeadDimension, int kProducts>
class WeightedRows {
 public:
  static constexpr int kKeys = KeyTile<kHeadDimension>::keys;
  static constexpr int kSums = kHeadDimension / 2;

  // Small products first: the tensor cores cut off what the sum does not hold.
  template <typename QueryParts>
  __device__ __forceinline__ void issue_scores(const QueryParts& queries, const unsigned char* tile) {
    constexpr int kSlices = kHeadDimension / 16;
    const uint64_t keys = ptx::wgmma_operand(tile);
    ptx::wgmma_forget(scores_);
    ptx::wgmma_fence();
    if constexpr (kProducts > 1) {
#pragma unroll
      for (int slice = 0; slice < kSlices; ++slice) {
        const uint64_t at = keys + slice / 2 * (kKeys * 128 / 16) + slice % 2 * 2;
        queries.multiply(scores_, 0, slice, at + 4, slice > 0);
        queries.multiply(scores_, 1, slice, at, true);
      }
    }
#pragma unroll
    for (int slice = 0; slice < kSlices; ++slice) {
      queries.multiply(scores_, 0, slice, keys + slice / 2 * (kKeys * 128 / 16) + slice % 2 * 2,
                       kProducts > 1 || slice > 0);
    }
    ptx::wgmma_commit();
  }

  __device__ __forceinline__ void issue_mixture(const unsigned char* tile) {
    const uint64_t values = ptx::wgmma_operand(tile);
    ptx::wgmma_forget(partial_);
    ptx::wgmma_fence();
    if constexpr (kProducts > 1) {
#pragma unroll
      for (int slice = 0; slice < kKeys / 16; ++slice) {
        const uint64_t at = values + slice / 2 * (kHeadDimension * 128 / 16) + slice % 2 * 2;
        multiply_weights<kHeadDimension>(partial_, upper_[slice], at + 4, slice > 0);
        multiply_weights<kHeadDimension>(partial_, lower_[slice], at, true);
      }
    }
#pragma unroll
    for (int slice = 0; slice < kKeys / 16; ++slice) {
      multiply_weights<kHeadDimension>(partial_, upper_[slice],
                                       values + slice / 2 * (kHeadDimension * 128 / 16) + slice % 2 * 2,
                                       kProducts > 1 || slice > 0);
    }
    ptx::wgmma_commit();
  }

  __device__ __forceinline__ void pin_scores() { ptx::wgmma_pin(scores_); }
  __device__ __forceinline__ void pin_mixture() { ptx::wgmma_pin(partial_); }

  // Turns raw scores into what softmax sees: score(half, column, product), column within the tile.
  template <typename Score>
  __device__ __forceinline__ void replace_scores(const float (&unscale)[2], const Score& score) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int half = i / 2 % 2;
      scores_[i] = score(half, i / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2, scores_[i] * unscale[half]);
    }
  }

  // Whether all scores of this lane are those of barred keys.
  __device__ __forceinline__ bool is_barred() const {
    bool is_barred = true;
#pragma unroll
    for (const float score : scores_) {
      is_barred = is_barred && score == -INFINITY;
    }
    return is_barred;
  }

  // Weights of scores in units of which two to the power of `factor` times each is one.
  __device__ __forceinline__ void weigh(const float (&factors)[2]) {
    float offset[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float raised = fmaxf(largest_[half], largest_of_tile(half) * factors[half]);
      const float reference = raised == -INFINITY ? 0.0f : raised;
      rescale_[half] = ptx::exp2(largest_[half] - reference);
      largest_[half] = raised;
      sum_[half] *= rescale_[half];
      offset[half] = kWeightsAt - reference;
    }
#pragma unroll
    for (int slice = 0; slice < kKeys / 16; ++slice) {
#pragma unroll
      for (int part = 0; part < 4; ++part) {
        const int half = part % 2;
        const float x = ptx::exp2(fmaf(scores_[slice * 8 + part * 2], factors[half], offset[half]));
        const float y = ptx::exp2(fmaf(scores_[slice * 8 + part * 2 + 1], factors[half], offset[half]));
        sum_[half] += x + y;
        upper_[slice][part] = ptx::pack_fp16x2(x, y);
        if constexpr (kProducts > 1) {
          lower_[slice][part] = packed_rest(upper_[slice][part], x, y);
        }
      }
    }
  }

  __device__ __forceinline__ void promote(float unscale) {
#pragma unroll
    for (int i = 0; i < kSums; ++i) {
      output_[i] = fmaf(partial_[i], unscale, output_[i] * rescale_[i / 2 % 2]);
    }
  }

  // Once, after the last tile: the sum of a row, of which four lanes have a part each.
  __device__ __forceinline__ void finish_sums() {
#pragma unroll
    for (float& sum : sum_) {
      sum += __shfl_xor_sync(kFullWarp, sum, 1);
      sum += __shfl_xor_sync(kFullWarp, sum, 2);
    }
  }

  // Whether what this lane has of a row is finite.
  __device__ __forceinline__ bool is_finite(int half) const {
    float probe = sum_[half] * 0.0f;  // NaN for what is not finite
#pragma unroll
    for (int i = 0; i < kSums / 2; ++i) {
      probe = fmaf(output_[i / 2 * 4 + half * 2 + i % 2], 0.0f, probe);
    }
    return probe == 0.0f;
  }

  // put(dimension, value) of a row.
  template <typename Put>
  __device__ __forceinline__ void store_row(int half, float barred, const Put& put) const {
    const float scale = largest_[half] == -INFINITY ? barred : 1.0f / sum_[half];
#pragma unroll
    for (int i = 0; i < kSums / 2; ++i) {
      put(i / 2 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2, output_[i / 2 * 4 + half * 2 + i % 2] * scale);
    }
  }

 private:
  // Over the row's four lanes. NaN shows in the weights.
  __device__ __forceinline__ float largest_of_tile(int half) const {
    float largest = scores_[half * 2];
#pragma unroll
    for (int i = 1; i < 16; ++i) {
      largest = fmaxf(largest, scores_[i / 2 * 4 + half * 2 + i % 2]);
    }
    largest = fmaxf(largest, __shfl_xor_sync(kFullWarp, largest, 1));
    return fmaxf(largest, __shfl_xor_sync(kFullWarp, largest, 2));
  }

  float scores_[32];
  uint32_t upper_[kKeys / 16][4];
  uint32_t lower_[kProducts > 1 ? kKeys / 16 : 1][4];
  float partial_[kSums];
  float output_[kSums] = {};
  float largest_[2] = {-INFINITY, -INFINITY};  // in powers of two
  float sum_[2] = {};                          // of this lane's weights
  float rescale_[2];                           // of what was summed before this tile
};

}  // namespace flash_wgmma_detail

}  // namespace stitch
