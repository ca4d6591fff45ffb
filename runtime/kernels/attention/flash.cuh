// SPDX-License-Identifier: Apache-2.0
// Attention without the score matrix in memory, on the ordinary fp32 pipes: a block keeps 64 queries and walks over
// tiles of keys and values with the online softmax. Each of 256 threads holds 4 queries; the 16 threads that share them
// are half a warp, so that rows are reduced by shuffles alone. Operands of 16 bits become floats on their way in.
#pragma once

#include "kernels/attention/block.cuh"
#include "kernels/attention/online_softmax.cuh"

namespace stitch {

namespace flash_detail {

constexpr int kQueries = 64;
constexpr int kThreads = 256;
constexpr int kRowThreads = 16;  // threads that share the same queries
constexpr int kPerThread = 4;    // queries a thread holds

template <int kHeadDimension>
struct FlashTile {
  static constexpr int keys = kHeadDimension > 64 ? 32 : 64;
  static constexpr int keys_per_thread = keys / kRowThreads;
  static constexpr int dims_per_thread = kHeadDimension / kRowThreads;
  static constexpr int query_floats = kHeadDimension * kQueries;
  static constexpr int key_floats = kHeadDimension * keys;
  static constexpr int weight_floats = keys * kQueries;
  static constexpr int shared_bytes = (query_floats + 2 * key_floats + weight_floats) * 4;
};

// Queries and keys lie as [dimension][row]; rows in groups of 4 permuted by the dimension, so that the transposing
// stores of a warp spread over the banks.
template <int kRows>
__device__ __forceinline__ int transposed_offset(int dimension, int row) {
  return dimension * kRows + (row ^ (dimension / 4 % 8 * 4));
}

// Softmax weights lie as [key][query], permuted likewise by the key.
__device__ __forceinline__ int weight_offset(int key, int query) {
  return key * kQueries + (query ^ (key / 4 % 16 * 4));
}

// Visits kRows rows from `first_row` by groups of four neighbouring dimensions: put(row, dimension, lanes).
template <int kHeadDimension, int kRows, typename T, typename Put>
__device__ __forceinline__ void load_groups(const T* data, int64_t row_stride, int64_t first_row, int64_t rows,
                                            int64_t dimensions, bool aligned, const Put& put) {
  constexpr int kGroups = kHeadDimension / 4;
#pragma unroll 4
  for (int place = threadIdx.x; place < kRows * kGroups; place += kThreads) {
    const int row = place / kGroups;
    const int dimension = place % kGroups * 4;
    put(row, dimension, load_head_lanes(data, row_stride, first_row + row, rows, dimension, dimensions, aligned));
  }
}

template <int kHeadDimension, int kRows, typename T>
__device__ __forceinline__ void load_transposed(float* tile, const T* data, int64_t row_stride, int64_t first_row,
                                                int64_t rows, int64_t dimensions, bool aligned) {
  load_groups<kHeadDimension, kRows>(data, row_stride, first_row, rows, dimensions, aligned,
                                     [&](int row, int dimension, const Lanes<float, 4>& lanes) {
#pragma unroll
                                       for (int lane = 0; lane < 4; ++lane) {
                                         tile[transposed_offset<kRows>(dimension + lane, row)] = lanes[lane];
                                       }
                                     });
}

template <int kHeadDimension, int kRows, typename T>
__device__ __forceinline__ void load_rows(float* tile, const T* data, int64_t row_stride, int64_t first_row,
                                          int64_t rows, int64_t dimensions, bool aligned) {
  load_groups<kHeadDimension, kRows>(data, row_stride, first_row, rows, dimensions, aligned,
                                     [&](int row, int dimension, const Lanes<float, 4>& lanes) {
                                       store_lanes(tile + row * kHeadDimension + dimension, lanes);
                                     });
}

// A thread's share of a block: 4 queries, and of each its part of the scores and of the output.
template <int kHeadDimension>
class ThreadRows {
 public:
  using Tile = FlashTile<kHeadDimension>;

  __device__ __forceinline__ ThreadRows()
      : query_(static_cast<int>(threadIdx.x) / kRowThreads * kPerThread),
        column_(static_cast<int>(threadIdx.x) % kRowThreads) {}

  __device__ __forceinline__ void score(const float* queries, const float* keys) {
#pragma unroll
    for (int i = 0; i < kPerThread * Tile::keys_per_thread; ++i) {
      scores_[i / Tile::keys_per_thread][i % Tile::keys_per_thread] = 0.0f;
    }
#pragma unroll 8
    for (int dimension = 0; dimension < kHeadDimension; ++dimension) {
      const auto a = load_lanes<kPerThread>(queries + transposed_offset<kQueries>(dimension, query_));
      const auto b = load_lanes<Tile::keys_per_thread>(
          keys + transposed_offset<Tile::keys>(dimension, column_ * Tile::keys_per_thread));
#pragma unroll
      for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
        for (int j = 0; j < Tile::keys_per_thread; ++j) {
          scores_[i][j] = fmaf(a[i], b[j], scores_[i][j]);
        }
      }
    }
  }

  // Turns the scores into softmax weights, puts them where the other threads of the rows find them, and rescales the
  // output so far.
  template <bool kCausal, typename Mask>
  __device__ __forceinline__ void weigh(const AttentionShape& shape, const AttentionPlace& place, const Mask& mask,
                                        int64_t first_key, float* weights) {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      MaxAccumulatorValue largest{-INFINITY};
#pragma unroll
      for (int j = 0; j < Tile::keys_per_thread; ++j) {
        const int64_t key = first_key + column_ * Tile::keys_per_thread + j;
        scores_[i][j] = masked_score<kCausal>(shape, place, mask, place.first_query + query_ + i, key, scores_[i][j]);
        largest.merge({scores_[i][j]});
      }
      const float factor = softmax_[i].raise(warp_merge<kRowThreads>(largest).value);
      SumValue sum{0.0f};
#pragma unroll
      for (int j = 0; j < Tile::keys_per_thread; ++j) {
        scores_[i][j] = softmax_[i].weight(scores_[i][j]);
        sum.merge({scores_[i][j]});
      }
      softmax_[i].add(warp_merge<kRowThreads>(sum).value);
#pragma unroll
      for (int d = 0; d < Tile::dims_per_thread; ++d) {
        output_[i][d] *= factor;
      }
    }
#pragma unroll
    for (int j = 0; j < Tile::keys_per_thread; ++j) {
      const Lanes<float, kPerThread> lanes{scores_[0][j], scores_[1][j], scores_[2][j], scores_[3][j]};
      store_lanes(weights + weight_offset(column_ * Tile::keys_per_thread + j, query_), lanes);
    }
  }

  __device__ __forceinline__ void add_values(const float* weights, const float* values) {
#pragma unroll 8
    for (int key = 0; key < Tile::keys; ++key) {
      const auto weight = load_lanes<kPerThread>(weights + weight_offset(key, query_));
#pragma unroll
      for (int group = 0; group < kGroups; ++group) {
        const auto value = load_lanes<kWidth>(values + key * kHeadDimension + dimension(group));
#pragma unroll
        for (int i = 0; i < kPerThread; ++i) {
#pragma unroll
          for (int d = 0; d < kWidth; ++d) {
            output_[i][group * kWidth + d] = fmaf(weight[i], value[d], output_[i][group * kWidth + d]);
          }
        }
      }
    }
  }

  template <typename Store>
  __device__ __forceinline__ void store(const AttentionShape& shape, const AttentionPlace& place,
                                        const Store& store) const {
#pragma unroll
    for (int i = 0; i < kPerThread; ++i) {
      const int64_t query = place.first_query + query_ + i;
      const float scale = softmax_[i].scale(shape.barred);
#pragma unroll
      for (int d = 0; d < Tile::dims_per_thread; ++d) {
        const int column = dimension(d / kWidth) + d % kWidth;
        if (query < shape.queries && column < shape.value_head_dimension) {
          store(place.batch, place.head, query, column, output_[i][d] * scale);
        }
      }
    }
  }

 private:
  struct MaxAccumulatorValue {
    float value;
    __device__ __forceinline__ void merge(const MaxAccumulatorValue& other) { value = maximum(value, other.value); }
  };
  struct SumValue {
    float value;
    __device__ __forceinline__ void merge(const SumValue& other) { value += other.value; }
  };

  static constexpr int kWidth = Tile::dims_per_thread < 4 ? Tile::dims_per_thread : 4;
  static constexpr int kGroups = Tile::dims_per_thread / kWidth;

  __device__ __forceinline__ int dimension(int group) const { return (group * kRowThreads + column_) * kWidth; }

  int query_;   // first of this thread's queries, within the block
  int column_;  // place among the threads that share them
  float scores_[kPerThread][Tile::keys_per_thread];
  float output_[kPerThread][Tile::dims_per_thread] = {};
  OnlineSoftmax softmax_[kPerThread];
};

template <int kHeadDimension, bool kCausal, typename T, typename Mask, typename Store>
__global__ void __launch_bounds__(kThreads)
    flash_attention_kernel(AttentionShape shape, AttentionOperandOf<T> query, AttentionOperandOf<T> key,
                           AttentionOperandOf<T> value, AttentionAlignment aligned, Mask mask, Store store) {
  using Tile = FlashTile<kHeadDimension>;
  extern __shared__ __align__(16) float shared_attention[];
  float* const queries = shared_attention;
  float* const keys = queries + Tile::query_floats;
  float* const values = keys + Tile::key_floats;
  float* const weights = values + Tile::key_floats;

  const AttentionStart<T> place = attention_place<kQueries, kCausal>(shape, query, key, value);
  load_transposed<kHeadDimension, kQueries>(queries, place.query, query.row_stride, place.first_query, shape.queries,
                                            shape.head_dimension, aligned.query);
  ThreadRows<kHeadDimension> rows;
  for (int64_t first_key = 0; first_key < place.keys; first_key += Tile::keys) {
    load_transposed<kHeadDimension, Tile::keys>(keys, place.key, key.row_stride, first_key, shape.keys,
                                                shape.head_dimension, aligned.key);
    load_rows<kHeadDimension, Tile::keys>(values, place.value, value.row_stride, first_key, shape.keys,
                                          shape.value_head_dimension, aligned.value);
    __syncthreads();
    rows.score(queries, keys);
    rows.template weigh<kCausal>(shape, place, mask, first_key, weights);
    __syncwarp();  // the 16 threads that share weights are of one warp
    rows.add_values(weights, values);
    __syncthreads();
  }
  rows.store(shape, place, store);
}

}  // namespace flash_detail

// kHeadDimension: 32, 64 or 128, at least the shape's head dimensions.
template <int kHeadDimension, bool kCausal, typename T, typename Mask, typename Store>
cudaError_t launch_flash_attention(const AttentionShape& shape, const AttentionOperandOf<T>& query,
                                   const AttentionOperandOf<T>& key, const AttentionOperandOf<T>& value,
                                   const Mask& mask, const Store& store, cudaStream_t stream) {
  return launch_attention<flash_detail::FlashTile<kHeadDimension>, kHeadDimension, flash_detail::kQueries,
                          flash_detail::kThreads>(
      flash_detail::flash_attention_kernel<kHeadDimension, kCausal, T, Mask, Store>, shape, query, key, value, mask,
      store, stream);
}

}  // namespace stitch
