// SPDX-License-Identifier: Apache-2.0
// What a thread of split_keys.cuh does: its part of some queries against the keys that come by.
#pragma once

#include "kernels/attention/block.cuh"
#include "kernels/attention/online_softmax.cuh"

namespace stitch::split_keys_detail {

constexpr int kWarps = 4;
constexpr int kThreads = kWarps * kWarpThreads;

template <int kHeadDimension, int kRows, typename T>
struct SplitKeysTile {
  static constexpr int lanes = 16 / static_cast<int>(sizeof(T));  // neighbouring dimensions a thread holds
  static constexpr int key_threads = kHeadDimension / lanes;      // that hold a key between them
  static constexpr int groups = kWarpThreads / key_threads;       // of such threads in a warp
  static constexpr int loads = kRows > 4 ? 2 : 4;                 // keys a thread has on their way, and values
  static constexpr int warp_keys = groups * loads;
  static constexpr int block_keys = kWarps * warp_keys;
};

// How the work is cut up. Rows of a key head: (head within those that share it, query).
struct SplitKeys {
  int64_t splits;
  int64_t split_keys;  // of one split
  int64_t keys;        // that any query can see
  int64_t rows;        // of a key head
  int64_t row_tiles;
  float* mixtures;       // [split][batch, head, query][dimension]
  SoftmaxPart* softmax;  // [split][batch, head, query]
};

struct BlockPart {
  int64_t batch;
  int64_t key_head;
  int64_t first_row;
  int64_t split;
};

// The neighbours from `dimension` on of a row that `is_present`; zeros beyond.
template <int kLanes, typename T>
__device__ __forceinline__ Lanes<T, kLanes> load_part(const T* row, int64_t dimension, int64_t dimensions, bool aligned,
                                                      bool is_present) {
  Lanes<T, kLanes> lanes{};
  if (is_present && aligned && dimension + kLanes <= dimensions) {
    return load_lanes<kLanes>(row + dimension);
  }
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    if (is_present && dimension + lane < dimensions) {
      lanes[lane] = row[dimension + lane];
    }
  }
  return lanes;
}

// A thread's share: its dimensions of kRows queries, and of what they mix from the keys that its group has seen.
template <int kHeadDimension, int kRows, typename T>
class GroupRows {
 public:
  using Tile = SplitKeysTile<kHeadDimension, kRows, T>;
  using Part = Lanes<T, Tile::lanes>;

  __device__ __forceinline__ GroupRows(const AttentionShape& shape, const SplitKeys& work, const BlockPart& part)
      : dimension_(static_cast<int>(threadIdx.x) % Tile::key_threads * Tile::lanes) {
    const auto queries = static_cast<uint32_t>(shape.queries);
    const int64_t sharing = shape.heads / shape.key_heads;
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const auto row = static_cast<uint32_t>(part.first_row + r);
      places_[r] = {part.batch, part.key_head * sharing + row / queries, 0, work.keys};
      query_of_[r] = row < work.rows ? row % queries : shape.queries;
    }
  }

  __device__ __forceinline__ void load_queries(const AttentionShape& shape, const AttentionOperandOf<T>& query,
                                               bool aligned) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const T* row = query.data + places_[r].batch * query.batch_stride + places_[r].head * query.head_stride +
                     query_of_[r] * query.row_stride;
      const Part part =
          load_part<Tile::lanes>(row, dimension_, shape.head_dimension, aligned, query_of_[r] < shape.queries);
#pragma unroll
      for (int lane = 0; lane < Tile::lanes; ++lane) {
        queries_[r][lane] = to_float(part[lane]);
      }
    }
  }

  // A warp's next keys, of which this thread's group has every Tile::groups-th from `key` on; those from `end` on are
  // another block's, or nobody's.
  template <bool kCausal, typename Mask>
  __device__ __forceinline__ void take(const AttentionShape& shape, const Mask& mask, int64_t key, int64_t end,
                                       const Part (&keys)[Tile::loads], const Part (&values)[Tile::loads]) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      float weights[Tile::loads];
      score<kCausal>(shape, mask, r, key, end, keys, weights);
      float largest = weights[0];
#pragma unroll
      for (int load = 1; load < Tile::loads; ++load) {
        largest = maximum(largest, weights[load]);
      }
      const float factor = softmax_[r].raise(largest);
      float sum = 0.0f;
#pragma unroll
      for (int load = 0; load < Tile::loads; ++load) {
        weights[load] = softmax_[r].weight(weights[load]);
        sum += weights[load];
      }
      softmax_[r].add(sum);
      mix(r, factor, weights, values);
    }
  }

  // Joins what the groups of a warp have seen; the first group has the result.
  __device__ __forceinline__ void join_groups() {
#pragma unroll
    for (int distance = Tile::key_threads; distance < kWarpThreads; distance *= 2) {
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        const Lanes<float, Tile::lanes> other = shuffle_xor(mixture_[r], distance);
        const SoftmaxFactors factors = softmax_[r].join(shuffle_xor(softmax_[r].part(), distance));
#pragma unroll
        for (int lane = 0; lane < Tile::lanes; ++lane) {
          mixture_[r][lane] = mixture_[r][lane] * factors.own + other[lane] * factors.other;
        }
      }
    }
  }

  // Lays a row down for the other warps.
  __device__ __forceinline__ void put(int r, float* mixture, SoftmaxPart* softmax) const {
    const int lane_of_warp = static_cast<int>(threadIdx.x) % kWarpThreads;
    if (lane_of_warp < Tile::key_threads) {
#pragma unroll
      for (int lane = 0; lane < Tile::lanes; ++lane) {
        mixture[dimension_ + lane] = mixture_[r][lane];
      }
    }
    if (lane_of_warp == 0) {
      *softmax = softmax_[r].part();
    }
  }

  __device__ __forceinline__ int dimension() const { return dimension_; }

 private:
  template <bool kCausal, typename Mask>
  __device__ __forceinline__ void score(const AttentionShape& shape, const Mask& mask, int r, int64_t key, int64_t end,
                                        const Part (&keys)[Tile::loads], float (&scores)[Tile::loads]) const {
#pragma unroll
    for (int load = 0; load < Tile::loads; ++load) {
      scores[load] = 0.0f;
#pragma unroll
      for (int lane = 0; lane < Tile::lanes; ++lane) {
        scores[load] = fmaf(queries_[r][lane], to_float(keys[load][lane]), scores[load]);
      }
    }
#pragma unroll
    for (int load = 0; load < Tile::loads; ++load) {
#pragma unroll
      for (int distance = Tile::key_threads / 2; distance > 0; distance /= 2) {
        scores[load] += __shfl_xor_sync(kFullWarp, scores[load], distance);
      }
      const int64_t at = key + load * Tile::groups;
      scores[load] =
          at < end ? masked_score<kCausal>(shape, places_[r], mask, query_of_[r], at, scores[load]) : -INFINITY;
    }
  }

  __device__ __forceinline__ void mix(int r, float factor, const float (&weights)[Tile::loads],
                                      const Part (&values)[Tile::loads]) {
#pragma unroll
    for (int lane = 0; lane < Tile::lanes; ++lane) {
      mixture_[r][lane] *= factor;
#pragma unroll
      for (int load = 0; load < Tile::loads; ++load) {
        mixture_[r][lane] = fmaf(weights[load], to_float(values[load][lane]), mixture_[r][lane]);
      }
    }
  }

  int dimension_;  // the first of this thread's
  AttentionPlace places_[kRows];
  int64_t query_of_[kRows];  // shape.queries for a row that is none
  Lanes<float, Tile::lanes> queries_[kRows];
  Lanes<float, Tile::lanes> mixture_[kRows] = {};
  OnlineSoftmax softmax_[kRows];
};

}  // namespace stitch::split_keys_detail
