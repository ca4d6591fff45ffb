// SPDX-License-Identifier: Apache-2.0
// Attention without the score matrix in memory, on the tensor cores (sm_80 and later). A block of 4 warps keeps 64
// queries, 16 a warp, and walks over tiles of keys: while a warp multiplies queries with keys the values come in,
// while it multiplies weights with values the next keys do. Math: Tf32x3 (fp32-class) or Tf32 of
// kernels/gemm/mma_policy.cuh; partial sums over one tile of keys are added to the output in plain fp32.
// Splitting an infinity gives NaN: what is not finite in the end is computed again in plain fp32.
#pragma once

#include "kernels/attention/block.cuh"
#include "kernels/attention/online_softmax.cuh"
#include "kernels/gemm/mma_policy.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

namespace flash_mma_detail {

constexpr int kQueries = 64;
constexpr int kThreads = 128;

template <int kHeadDimension>
struct FlashMmaTile {
  static constexpr int keys = kHeadDimension > 64 ? 32 : 64;
  static constexpr int key_tiles = keys / 8;
  static constexpr int output_tiles = kHeadDimension / 8;
  static constexpr int query_floats = kQueries * kHeadDimension;
  static constexpr int key_floats = keys * kHeadDimension;
  static constexpr int weight_floats = kQueries * keys;
  static constexpr int shared_bytes = (query_floats + 2 * key_floats + weight_floats) * 4;
  // Queries, keys and softmax weights are read along the axis they are summed over; values across it.
  using Queries = MmaTileLayout<kQueries, kHeadDimension, Layout::kContiguousK>;
  using Keys = MmaTileLayout<keys, kHeadDimension, Layout::kContiguousK>;
  using Weights = MmaTileLayout<kQueries, keys, Layout::kContiguousK>;
  using Values = MmaTileLayout<kHeadDimension, keys, Layout::kContiguousOuter>;
};

// Starts copying kRows rows; zeros beyond `rows` and `dimensions`. offset(row, dimension) places 4 neighbours.
template <int kRows, int kHeadDimension, typename Offset>
__device__ __forceinline__ void copy_rows(float* tile, const float* data, int64_t row_stride, int64_t first_row,
                                          int64_t rows, int64_t dimensions, bool aligned, const Offset& offset) {
  constexpr int kGroups = kHeadDimension / 4;
#pragma unroll
  for (int place = threadIdx.x; place < kRows * kGroups; place += kThreads) {
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

// Operands of 16 bits become floats on their way, by registers; TF32 holds them exactly.
template <int kRows, int kHeadDimension, typename T, typename Offset>
__device__ __forceinline__ void copy_rows(float* tile, const T* data, int64_t row_stride, int64_t first_row,
                                          int64_t rows, int64_t dimensions, bool aligned, const Offset& offset) {
  constexpr int kGroups = kHeadDimension / 4;
#pragma unroll 4
  for (int place = threadIdx.x; place < kRows * kGroups; place += kThreads) {
    const int row = place / kGroups;
    const int dimension = place % kGroups * 4;
    store_lanes(tile + offset(row, dimension),
                load_head_lanes(data, row_stride, first_row + row, rows, dimension, dimensions, aligned));
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

// Elements from one row to the next.
struct AttentionStrides {
  int64_t query;
  int64_t key;
  int64_t value;
};

// A warp's 16 queries. A lane holds rows g and g + 8 (g = lane / 4) of every accumulator tile, two columns of each.
template <typename Math, int kHeadDimension>
class WarpRows {
 public:
  static_assert(Math::kSteps == 1, "policies that multiply 8 of K at once");

  __device__ __forceinline__ WarpRows()
      : first_(static_cast<int>(threadIdx.x) / kWarpThreads * 16),
        lane_(static_cast<int>(threadIdx.x) % kWarpThreads) {}

  __device__ __forceinline__ void score(const float* queries, const float* keys) {
#pragma unroll
    for (int place = 0; place < kKeyTiles * 4; ++place) {
      scores_[0][place / 4][place % 4] = 0.0f;
    }
#pragma unroll 2
    for (int d = 0; d < kHeadDimension; d += 8) {
      MmaFragments<1, kKeyTiles, 1> fragments;
      load_rows<typename Tile::Queries>(fragments.a[0][0], queries, d);
#pragma unroll
      for (int j = 0; j < kKeyTiles; j += 2) {
        load_columns<typename Tile::Keys>(fragments.b[0][j], fragments.b[0][j + 1], keys, j, d);
      }
      Math::template multiply<1, kKeyTiles>(scores_, fragments);
    }
  }

  // Turns the scores into softmax weights, lays them down for this warp, and rescales the output so far.
  template <bool kCausal, typename Mask>
  __device__ __forceinline__ void weigh(const AttentionShape& shape, const AttentionPlace& place, const Mask& mask,
                                        int64_t first_key, float* weights) {
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
      for (int j = 0; j < kKeyTiles; ++j) {
        store_lanes(weights + Tile::Weights::offset(first_ + half * 8 + lane_ / 4, j * 8 + lane_ % 4 * 2),
                    Lanes<float, 2>{scores_[0][j][half * 2], scores_[0][j][half * 2 + 1]});
      }
#pragma unroll
      for (int tile = 0; tile < kOutputTiles; ++tile) {
        output_[tile][half * 2] *= factor;
        output_[tile][half * 2 + 1] *= factor;
      }
    }
  }

  __device__ __forceinline__ void add_values(const float* weights, const float* values) {
    MmaSums<1, kOutputTiles> partial = {};
#pragma unroll 1
    for (int key = 0; key < Tile::keys; key += 8) {
      MmaFragments<1, kOutputTiles, 1> fragments;
      load_rows<typename Tile::Weights>(fragments.a[0][0], weights, key);
#pragma unroll
      for (int tile = 0; tile < kOutputTiles; tile += 2) {
        load_columns<typename Tile::Values>(fragments.b[0][tile], fragments.b[0][tile + 1], values, tile, key);
      }
      Math::template multiply<1, kOutputTiles>(partial, fragments);
    }
#pragma unroll
    for (int place = 0; place < kOutputTiles * 4; ++place) {
      output_[place / 4][place % 4] += partial[0][place / 4][place % 4];
    }
  }

  // Rows of which this lane holds something that is not finite: key by key, in fp32, from global memory. The other
  // lanes of a row may keep what they have.
  template <bool kCausal, typename T, typename Mask>
  __device__ __forceinline__ void repair(const AttentionShape& shape, const AttentionStart<T>& place,
                                         const AttentionStrides& strides, const Mask& mask) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t query = place.first_query + first_ + half * 8 + lane_ / 4;
      if (query >= shape.queries || is_finite(half)) {
        continue;
      }
      softmax_[half] = OnlineSoftmax();
#pragma unroll
      for (int element = 0; element < kOutputTiles * 2; ++element) {
        output_[element / 2][half * 2 + element % 2] = 0.0f;
      }
#pragma unroll 1
      for (int64_t key = 0; key < place.keys; ++key) {
        float product = 0.0f;
#pragma unroll 1
        for (int64_t d = 0; d < shape.head_dimension; ++d) {
          product = fmaf(to_float(place.query[query * strides.query + d]), to_float(place.key[key * strides.key + d]),
                         product);
        }
        add_key(half, masked_score<kCausal>(shape, place, mask, query, key, product), place.value + key * strides.value,
                shape.value_head_dimension);
      }
    }
  }

  template <typename Store>
  __device__ __forceinline__ void store(const AttentionShape& shape, const AttentionPlace& place,
                                        const Store& store) const {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t query = place.first_query + first_ + half * 8 + lane_ / 4;
      const float scale = softmax_[half].scale(shape.barred);
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
  using Tile = FlashMmaTile<kHeadDimension>;
  static constexpr int kKeyTiles = Tile::key_tiles;
  static constexpr int kOutputTiles = Tile::output_tiles;

  __device__ __forceinline__ bool is_finite(int half) const {
    float sum = softmax_[half].scale();
#pragma unroll
    for (int element = 0; element < kOutputTiles * 2; ++element) {
      sum += output_[element / 2][half * 2 + element % 2] * 0.0f;  // NaN for what is not finite
    }
    return isfinite(sum);
  }

  template <typename T>
  __device__ __forceinline__ void add_key(int half, float score, const T* value, int64_t dimensions) {
    const float factor = softmax_[half].raise(score);
    const float weight = softmax_[half].weight(score);
    softmax_[half].add(weight);
#pragma unroll
    for (int element = 0; element < kOutputTiles * 2; ++element) {
      const int dimension = element / 2 * 8 + lane_ % 4 * 2 + element % 2;
      float& output = output_[element / 2][half * 2 + element % 2];
      output = fmaf(weight, dimension < dimensions ? to_float(value[dimension]) : 0.0f, output * factor);
    }
  }

  // The A fragment of this warp's rows.
  template <typename TileLayout>
  __device__ __forceinline__ void load_rows(float (&fragment)[4], const float* tile, int k) const {
    float words[4];
    TileLayout::load_16(words, tile, first_, k, lane_);
    fragment[0] = words[0];
    fragment[1] = words[2];
    fragment[2] = words[1];
    fragment[3] = words[3];
  }

  // The B fragments of accumulator tiles j and j + 1.
  template <typename TileLayout>
  __device__ __forceinline__ void load_columns(float (&first)[2], float (&second)[2], const float* tile, int j,
                                               int k) const {
    float words[4];
    TileLayout::load_16(words, tile, j * 8, k, lane_);
    first[0] = words[0];
    first[1] = words[1];
    second[0] = words[2];
    second[1] = words[3];
  }

  int first_;  // of this warp's queries, within the block
  int lane_;
  MmaSums<1, kKeyTiles> scores_;
  float output_[kOutputTiles][4] = {};
  OnlineSoftmax softmax_[2];
};

template <typename Math, int kHeadDimension, bool kCausal, typename T, typename Mask, typename Store>
__global__ void __launch_bounds__(kThreads)
    flash_mma_kernel(AttentionShape shape, AttentionOperandOf<T> query, AttentionOperandOf<T> key,
                     AttentionOperandOf<T> value, AttentionAlignment aligned, Mask mask, Store store) {
  using Tile = FlashMmaTile<kHeadDimension>;
  extern __shared__ __align__(16) float shared_attention[];
  float* const queries = shared_attention;
  float* const keys = queries + Tile::query_floats;
  float* const values = keys + Tile::key_floats;
  float* const weights = values + Tile::key_floats;
  const auto query_offset = [](int row, int d) { return Tile::Queries::offset(row, d); };
  const auto key_offset = [](int row, int d) { return Tile::Keys::offset(row, d); };
  const auto value_offset = [](int row, int d) { return Tile::Values::offset(d, row); };

  const AttentionStart<T> place = attention_place<kQueries, kCausal>(shape, query, key, value);
  const auto copy_keys = [&](int64_t first_key) {
    copy_rows<Tile::keys, kHeadDimension>(keys, place.key, key.row_stride, first_key, shape.keys, shape.head_dimension,
                                          aligned.key, key_offset);
    ptx::cp_async_commit();
  };
  copy_rows<kQueries, kHeadDimension>(queries, place.query, query.row_stride, place.first_query, shape.queries,
                                      shape.head_dimension, aligned.query, query_offset);
  copy_keys(0);
  WarpRows<Math, kHeadDimension> rows;
  for (int64_t first_key = 0; first_key < place.keys; first_key += Tile::keys) {
    ptx::cp_async_wait<0>();
    __syncthreads();  // the keys are there, and everyone is done with the last values
    copy_rows<Tile::keys, kHeadDimension>(values, place.value, value.row_stride, first_key, shape.keys,
                                          shape.value_head_dimension, aligned.value, value_offset);
    ptx::cp_async_commit();
    rows.score(queries, keys);
    rows.template weigh<kCausal>(shape, place, mask, first_key, weights);
    ptx::cp_async_wait<0>();
    __syncthreads();  // the values are there, the weights too, and everyone is done with the keys
    if (first_key + Tile::keys < place.keys) {
      copy_keys(first_key + Tile::keys);
    }
    rows.add_values(weights, values);
  }
  rows.template repair<kCausal>(shape, place, {query.row_stride, key.row_stride, value.row_stride}, mask);
  rows.store(shape, place, store);
}

}  // namespace flash_mma_detail

// kHeadDimension: 32, 64 or 128, at least the shape's head dimensions.
template <typename Math, int kHeadDimension, bool kCausal, typename T, typename Mask, typename Store>
cudaError_t launch_flash_attention_mma(const AttentionShape& shape, const AttentionOperandOf<T>& query,
                                       const AttentionOperandOf<T>& key, const AttentionOperandOf<T>& value,
                                       const Mask& mask, const Store& store, cudaStream_t stream) {
  return launch_attention<flash_mma_detail::FlashMmaTile<kHeadDimension>, kHeadDimension, flash_mma_detail::kQueries,
                          flash_mma_detail::kThreads>(
      flash_mma_detail::flash_mma_kernel<Math, kHeadDimension, kCausal, T, Mask, Store>, shape, query, key, value, mask,
      store, stream);
}

}  // namespace stitch
