// SPDX-License-Identifier: Apache-2.0
// Attention without the score matrix in memory, on the tensor cores (sm_80 and later). A block of 4 warps keeps 64
// queries, 16 a warp, and walks over tiles of 64 keys: while a warp multiplies queries with keys the values come in,
// while it multiplies weights with values the next keys do. Math: Tf32x3 (fp32-class) or Tf32 of
// kernels/gemm/mma_policy.cuh; partial sums over one tile of keys are added to the output in plain fp32.
// Infinities in Q, K or V may give NaN where kernels/attention/flash.cuh gives an infinity.
#pragma once

#include "kernels/attention/block.cuh"
#include "kernels/attention/online_softmax.cuh"
#include "kernels/gemm/mma_policy.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

namespace flash_mma_detail {

constexpr int kQueries = 64;
constexpr int kKeys = 64;
constexpr int kThreads = 128;
constexpr int kKeyTiles = kKeys / 8;

template <int kHeadDimension>
struct FlashMmaTile {
  static constexpr int floats = kQueries * kHeadDimension;  // of each of Q, K and V
  static constexpr int shared_bytes = 3 * floats * 4;
};

// Q and K: rows along the head dimension, read as [outer][k].
template <int kHeadDimension>
using RowLayout = MmaTileLayout<kQueries, kHeadDimension, Layout::kContiguousK>;

// V: [key][dimension]. A lane reads keys 2t and 2t + 1 (see ValueFragments), so the permutation is by pairs of keys.
template <int kHeadDimension>
struct ValueLayout {
  static __device__ __forceinline__ int offset(int key, int dimension) {
    return key * kHeadDimension + (dimension ^ (key / 2 % 4 * 8));
  }
};

// Starts copying 64 rows; zeros beyond `rows` and `dimensions`. offset(row, dimension) places 4 neighbours.
template <int kHeadDimension, typename Offset>
__device__ __forceinline__ void copy_rows(float* tile, const float* data, int64_t row_stride, int64_t first_row,
                                          int64_t rows, int64_t dimensions, bool aligned, const Offset& offset) {
  constexpr int kGroups = kHeadDimension / 4;
#pragma unroll
  for (int place = threadIdx.x; place < kKeys * kGroups; place += kThreads) {
    const int row = place / kGroups;
    const int dimension = place % kGroups * 4;
    const int64_t rest = first_row + row < rows ? dimensions - dimension : 0;
    const int valid = rest <= 0 ? 0 : rest < 4 ? static_cast<int>(rest) : 4;
    const float* source = valid > 0 ? data + (first_row + row) * row_stride + dimension : data;
    float* target = tile + offset(row, dimension);
    if (aligned) {
      ptx::cp_async_16(target, source, valid * 4);
      continue;
    }
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
      ptx::cp_async_4(target + lane, lane < valid ? source + lane : data, lane < valid ? 4 : 0);
    }
  }
}

struct LargestScore {
  float value;
  __device__ __forceinline__ void merge(const LargestScore& other) { value = maximum(value, other.value); }
};

struct WeightSum {
  float value;
  __device__ __forceinline__ void merge(const WeightSum& other) { value += other.value; }
};

// A warp's 16 queries. A lane holds rows g and g + 8 (g = lane / 4) of every accumulator tile, two columns of each.
template <typename Math, int kHeadDimension>
class WarpRows {
 public:
  static_assert(Math::kSteps == 1, "policies that multiply 8 of K at once");

  __device__ __forceinline__ WarpRows()
      : first_(static_cast<int>(threadIdx.x) / kWarpThreads * 16), lane_(static_cast<int>(threadIdx.x) % kWarpThreads) {}

  __device__ __forceinline__ void score(const float* queries, const float* keys) {
#pragma unroll
    for (int j = 0; j < kKeyTiles; ++j) {
#pragma unroll
      for (int element = 0; element < 4; ++element) {
        scores_[0][j][element] = 0.0f;
      }
    }
#pragma unroll 2
    for (int d = 0; d < kHeadDimension; d += 8) {
      MmaFragments<1, kKeyTiles, 1> fragments;
      float words[4];
      RowLayout<kHeadDimension>::load_16(words, queries, first_, d, lane_);
      fragments.a[0][0][0] = words[0];
      fragments.a[0][0][1] = words[2];
      fragments.a[0][0][2] = words[1];
      fragments.a[0][0][3] = words[3];
#pragma unroll
      for (int j = 0; j < kKeyTiles; j += 2) {
        RowLayout<kHeadDimension>::load_16(words, keys, j * 8, d, lane_);
        fragments.b[0][j][0] = words[0];
        fragments.b[0][j][1] = words[1];
        fragments.b[0][j + 1][0] = words[2];
        fragments.b[0][j + 1][1] = words[3];
      }
      Math::template multiply<1, kKeyTiles>(scores_, fragments);
    }
  }

  // Turns the scores into softmax weights and rescales the output so far.
  template <bool kCausal, typename Mask>
  __device__ __forceinline__ void weigh(const AttentionShape& shape, const AttentionPlace& place, const Mask& mask,
                                        int64_t first_key) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t query = place.first_query + first_ + half * 8 + lane_ / 4;
      LargestScore largest{-INFINITY};
#pragma unroll
      for (int element = 0; element < kKeyTiles * 2; ++element) {
        float& score = scores_[0][element / 2][half * 2 + element % 2];
        const int64_t key = first_key + element / 2 * 8 + lane_ % 4 * 2 + element % 2;
        score = masked_score<kCausal>(shape, place, mask, query, key, score);
        largest.merge({score});
      }
      const float factor = softmax_[half].raise(warp_merge<4>(largest).value);
      WeightSum sum{0.0f};
#pragma unroll
      for (int element = 0; element < kKeyTiles * 2; ++element) {
        float& score = scores_[0][element / 2][half * 2 + element % 2];
        score = softmax_[half].weight(score);
        sum.merge({score});
      }
      softmax_[half].add(warp_merge<4>(sum).value);
#pragma unroll
      for (int tile = 0; tile < kOutputTiles; ++tile) {
        output_[tile][half * 2] *= factor;
        output_[tile][half * 2 + 1] *= factor;
      }
    }
  }

  // Weights stay in the registers the scores were in: what the accumulator layout calls columns 2t and 2t + 1 is taken
  // for k = t and t + 4 of the A operand, and the values are read in the same order.
  __device__ __forceinline__ void add_values(const float* values) {
#pragma unroll
    for (int group = 0; group < kOutputTiles / kGroupTiles; ++group) {
      MmaSums<1, kGroupTiles> partial = {};
#pragma unroll
      for (int j = 0; j < kKeyTiles; ++j) {
        MmaFragments<1, kGroupTiles, 1> fragments;
        fragments.a[0][0][0] = scores_[0][j][0];
        fragments.a[0][0][1] = scores_[0][j][2];
        fragments.a[0][0][2] = scores_[0][j][1];
        fragments.a[0][0][3] = scores_[0][j][3];
#pragma unroll
        for (int tile = 0; tile < kGroupTiles; ++tile) {
          const int key = j * 8 + lane_ % 4 * 2;
          const int dimension = (group * kGroupTiles + tile) * 8 + lane_ / 4;
          fragments.b[0][tile][0] = values[ValueLayout<kHeadDimension>::offset(key, dimension)];
          fragments.b[0][tile][1] = values[ValueLayout<kHeadDimension>::offset(key + 1, dimension)];
        }
        Math::template multiply<1, kGroupTiles>(partial, fragments);
      }
#pragma unroll
      for (int place = 0; place < kGroupTiles * 4; ++place) {
        output_[group * kGroupTiles + place / 4][place % 4] += partial[0][place / 4][place % 4];
      }
    }
  }

  template <typename Store>
  __device__ __forceinline__ void store(const AttentionShape& shape, const AttentionPlace& place,
                                        const Store& store) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t query = place.first_query + first_ + half * 8 + lane_ / 4;
      const float scale = softmax_[half].scale();
#pragma unroll
      for (int element = 0; element < kOutputTiles * 2; ++element) {
        const int dimension = element / 2 * 8 + lane_ % 4 * 2 + element % 2;
        if (query < shape.queries && dimension < shape.value_head_dimension) {
          store(place.batch, place.head, query, dimension, output_[element / 2][half * 2 + element % 2] * scale);
        }
      }
    }
  }

 private:
  static constexpr int kOutputTiles = kHeadDimension / 8;
  static constexpr int kGroupTiles = 4;  // output tiles multiplied together

  int first_;  // of this warp's queries, within the block
  int lane_;
  MmaSums<1, kKeyTiles> scores_;
  float output_[kOutputTiles][4] = {};
  OnlineSoftmax softmax_[2];
};

template <typename Math, int kHeadDimension, bool kCausal, typename Mask, typename Store>
__global__ void __launch_bounds__(kThreads)
    flash_mma_kernel(AttentionShape shape, AttentionOperand query, AttentionOperand key, AttentionOperand value,
                     AttentionAlignment aligned, Mask mask, Store store) {
  using Tile = FlashMmaTile<kHeadDimension>;
  extern __shared__ __align__(16) float shared_attention[];
  float* const queries = shared_attention;
  float* const keys = queries + Tile::floats;
  float* const values = keys + Tile::floats;
  const auto row_offset = [](int row, int d) { return RowLayout<kHeadDimension>::offset(row, d); };
  const auto value_offset = [](int row, int d) { return ValueLayout<kHeadDimension>::offset(row, d); };

  const AttentionPlace place = attention_place<kQueries, kCausal>(shape, query, key, value);
  copy_rows<kHeadDimension>(queries, place.query, query.row_stride, place.first_query, shape.queries,
                            shape.head_dimension, aligned.query, row_offset);
  copy_rows<kHeadDimension>(keys, place.key, key.row_stride, 0, shape.keys, shape.head_dimension, aligned.key,
                            row_offset);
  ptx::cp_async_commit();
  WarpRows<Math, kHeadDimension> rows;
  for (int64_t first_key = 0; first_key < place.keys; first_key += kKeys) {
    ptx::cp_async_wait<0>();
    __syncthreads();  // the keys are there, and everyone is done with the last values
    copy_rows<kHeadDimension>(values, place.value, value.row_stride, first_key, shape.keys,
                              shape.value_head_dimension, aligned.value, value_offset);
    ptx::cp_async_commit();
    rows.score(queries, keys);
    rows.template weigh<kCausal>(shape, place, mask, first_key);
    ptx::cp_async_wait<0>();
    __syncthreads();  // the values are there, and everyone is done with the keys
    if (first_key + kKeys < place.keys) {
      copy_rows<kHeadDimension>(keys, place.key, key.row_stride, first_key + kKeys, shape.keys, shape.head_dimension,
                                aligned.key, row_offset);
      ptx::cp_async_commit();
    }
    rows.add_values(values);
  }
  rows.store(shape, place, store);
}

}  // namespace flash_mma_detail

// kHeadDimension: 32, 64 or 128, at least the shape's head dimensions.
template <typename Math, int kHeadDimension, bool kCausal, typename Mask, typename Store>
cudaError_t launch_flash_attention_mma(const AttentionShape& shape, const AttentionOperand& query,
                                       const AttentionOperand& key, const AttentionOperand& value, const Mask& mask,
                                       const Store& store, cudaStream_t stream) {
  using Tile = flash_mma_detail::FlashMmaTile<kHeadDimension>;
  const int64_t blocks = attention_blocks<flash_mma_detail::kQueries>(shape);
  if (blocks == 0) {
    return cudaSuccess;
  }
  if (shape.head_dimension > kHeadDimension || shape.value_head_dimension > kHeadDimension) {
    return cudaErrorInvalidValue;
  }
  const auto kernel = flash_mma_detail::flash_mma_kernel<Math, kHeadDimension, kCausal, Mask, Store>;
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const AttentionAlignment aligned{operand_aligned(query), operand_aligned(key), operand_aligned(value)};
  kernel<<<static_cast<unsigned>(blocks), flash_mma_detail::kThreads, Tile::shared_bytes, stream>>>(
      shape, query, key, value, aligned, mask, store);
  return cudaGetLastError();
}

}  // namespace stitch
