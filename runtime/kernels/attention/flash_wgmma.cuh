// SPDX-License-Identifier: Apache-2.0
// Attention without the score matrix in memory, by wgmma (sm_90a) in three fp16 products for each of the model, or one.
// A launch before splits keys and values into planes (kernels/attention/key_planes.cuh). A block keeps 64 queries a
// warpgroup; one more warp has the copy engine bring tiles of 64 keys and of their values into a ring of stages. A
// warpgroup turns scores into weights in registers, where they are the next product's operand, and while that product
// is under way the next scores are. After J. Shah et al., "FlashAttention-3", 2024.
//
// Partial sums over a tile are added to the output in plain fp32. What fp16 parts do not hold becomes NaN; queries
// whose result is not finite are computed again in plain fp32.
#pragma once

#include <type_traits>

#include "kernels/attention/plain_row.cuh"
#include "kernels/attention/wgmma_rows.cuh"
#include "kernels/gemm/wgmma_mainloop.cuh"

namespace stitch {

namespace flash_wgmma_detail {

// As measured on an H200 (bench/results/kernels-h200.md).
__host__ __device__ constexpr int groups_of_tile(int head_dimension, int products) {
  if (head_dimension <= 32) {
    return products > 1 ? 4 : 3;
  }
  return products > 1 && head_dimension <= 64 ? 3 : 2;
}
__host__ __device__ constexpr bool has_queries_in_shared(int head_dimension, int products) {
  return head_dimension > 96 || (products > 1 && head_dimension <= 64);
}

// kGroups: warpgroups that multiply. More of them hide what each waits for, as registers allow; queries in shared
// memory leave room for that.
template <int kHeadDimension, int kProductsOfOne, int kGroups = groups_of_tile(kHeadDimension, kProductsOfOne),
          bool kQueriesInShared = has_queries_in_shared(kHeadDimension, kProductsOfOne)>
struct FlashTile {
  using Keys = KeyTile<kHeadDimension>;
  using QueryParts = Queries<kHeadDimension, kProductsOfOne, kQueriesInShared>;
  using Rows = WeightedRows<kHeadDimension, kProductsOfOne>;
  static constexpr int head_dimension = kHeadDimension;
  static constexpr int groups = kGroups;
  static constexpr int group_queries = QueryParts::kGroupRows;
  static constexpr int queries = groups * group_queries;
  static constexpr int multipliers = groups * 128;  // threads
  static constexpr int threads = multipliers + 128;
  static constexpr int registers = groups == 4 ? 112 : groups == 3 ? 160 : 240;  // of a thread that multiplies
  static constexpr int stages = kHeadDimension > 96 ? 4 : (kHeadDimension > 32 ? 6 : 8);
  static constexpr int alignment = 1024;
  static constexpr int stage_bytes = Keys::plane_bytes + alignment;
  static constexpr int query_bytes = groups * QueryParts::kSharedBytes;
  static constexpr int ring_bytes = stages * stage_bytes + query_bytes;
  static constexpr int vote_bytes = groups * 2 * 4 * 4;
  static constexpr int shared_bytes = alignment + ring_bytes + 2 * stages * 8 + vote_bytes;
};

// A tile of keys and one of values a turn.
template <typename Tile>
__device__ __forceinline__ void bring_tiles(const wgmma_detail::Ring<Tile>& ring, const unsigned char* planes,
                                            int tiles) {
  wgmma_detail::RingPlace<Tile::stages> at;
#pragma unroll 1
  for (int turn = 0; turn < 2 * tiles; ++turn) {
    ring.wait_until_empty(at);
    ptx::mbarrier_arrive_expecting(ring.full + at.stage, Tile::Keys::bytes);
    ptx::bulk_copy(ring.stage(at.stage), planes, Tile::Keys::bytes, ring.full + at.stage);
    planes += Tile::Keys::stride;
    at.next();
  }
}

template <typename Tile>
__device__ __forceinline__ float unscale_of(const wgmma_detail::Ring<Tile>& ring, int stage) {
  return *reinterpret_cast<const float*>(ring.stage(stage) + Tile::Keys::plane_bytes);
}

// The queries of a warpgroup among the block's, and how many tiles of keys they see.
struct GroupPlace {
  int64_t first_query;
  int tiles;
  int group;
};

template <typename Tile, bool kCausal>
__device__ __forceinline__ GroupPlace group_place(const AttentionShape& shape, const AttentionPlace& place) {
  // By way of a shuffle the compiler knows that whole warps agree, and that products are in no divergent path.
  const int group = __shfl_sync(kFullWarp, static_cast<int>(threadIdx.x) / 128, 0);
  const int64_t first = place.first_query + static_cast<int64_t>(group) * Tile::group_queries;
  const int64_t visible = first + Tile::group_queries;
  const int64_t keys = kCausal && visible < place.keys ? visible : place.keys;
  return {first, first < shape.queries ? static_cast<int>(ceil_divide(keys, Tile::Keys::keys)) : 0, group};
}

// Whether all threads of a group say yes, in turns that are numbered: the votes of one are read while others have their
// next turn, but not the one after that.
template <typename Tile>
__device__ __forceinline__ bool all_of_group(const wgmma_detail::Ring<Tile>& ring, int group, int turn, bool vote) {
  constexpr int kWarps = 128 / kWarpThreads;
  auto* const votes = reinterpret_cast<uint32_t*>(ring.empty + Tile::stages) + (group * 2 + turn % 2) * kWarps;
  const bool of_warp = __all_sync(kFullWarp, vote) != 0;
  if (threadIdx.x % kWarpThreads == 0) {
    votes[threadIdx.x % 128 / kWarpThreads] = of_warp ? 1 : 0;
  }
  if (group == 0) {
    ptx::barrier_of_threads<2, 128>();
  } else if (group == 1) {
    ptx::barrier_of_threads<3, 128>();
  } else {
    ptx::barrier_of_threads<4, 128>();
  }
  uint32_t all = 1;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    all &= votes[warp];
  }
  return __shfl_sync(kFullWarp, all, 0) != 0;
}

// What a lane's two rows of scores are multiplied with to be powers of two.
struct ScoreFactors {
  float of_rows[2];
};

// A tile's scores, from its first key on, as softmax sees them but for the factors.
template <typename Tile, bool kCausal, typename Mask>
__device__ __forceinline__ ScoreFactors see_tile(const AttentionShape& shape, const AttentionPlace& place,
                                                 const GroupPlace& group, const Mask& mask, int64_t first_key,
                                                 const float (&query_unscale)[2], float key_unscale,
                                                 typename Tile::Rows& rows) {
  const float unscale[2] = {query_unscale[0] * key_unscale, query_unscale[1] * key_unscale};
  const bool is_whole =
      first_key + Tile::Keys::keys <= (kCausal && group.first_query < place.keys ? group.first_query : place.keys);
  if constexpr (std::is_same_v<Mask, NoMask>) {
    if (is_whole && shape.scale > 0) {
      const float factor = shape.scale * kLog2OfE;
      return {{unscale[0] * factor, unscale[1] * factor}};
    }
  }
  const int64_t first_query = group.first_query + static_cast<int>(threadIdx.x) % 128 / kWarpThreads * 16 +
                              static_cast<int>(threadIdx.x) % kWarpThreads / 4;
  if (!std::is_same_v<Mask, NoMask> && is_whole && group.first_query + Tile::group_queries <= shape.queries) {
    rows.replace_scores(unscale, [&](int half, int column, float product) {
      return mask(place.batch, place.head, first_query + half * 8, first_key + column, product * shape.scale);
    });
  } else {
    rows.replace_scores(unscale, [&](int half, int column, float product) {
      return masked_score<kCausal>(shape, place, mask, first_query + half * 8, first_key + column, product);
    });
  }
  return {{kLog2OfE, kLog2OfE}};
}

// Where a warpgroup is on its way along the keys.
template <typename Tile>
struct Walk {
  wgmma_detail::RingPlace<Tile::stages> at;
  int tile = 0;
};

// A tile whose scores are under way. kIsLast: no further scores are started, which would be a branch between products.
template <typename Tile, bool kCausal, bool kIsLast, typename Mask>
__device__ __forceinline__ void take_tile(const wgmma_detail::Ring<Tile>& ring, const AttentionShape& shape,
                                          const AttentionPlace& place, const GroupPlace& group, const Mask& mask,
                                          const typename Tile::QueryParts& queries, typename Tile::Rows& rows,
                                          Walk<Tile>& walk) {
  const float key_unscale = unscale_of(ring, walk.at.stage);
  ptx::wgmma_wait<0>();
  rows.pin_scores();
  ring.release(walk.at.stage);
  walk.at.next();
  const ScoreFactors factors =
      see_tile<Tile, kCausal>(shape, place, group, mask, static_cast<int64_t>(walk.tile) * Tile::Keys::keys,
                              queries.unscale, key_unscale, rows);
  ring.wait_until_full(walk.at);
  const int of_values = walk.at.stage;
  const float value_unscale = unscale_of(ring, of_values);
  walk.at.next();
  ++walk.tile;
  // Keys that are barred to all queries; their values count where they are not finite.
  if constexpr (!std::is_same_v<Mask, NoMask>) {
    if (all_of_group(ring, group.group, walk.tile, rows.is_barred() && value_unscale == value_unscale)) {
      ring.release(of_values);
      if constexpr (!kIsLast) {
        ring.wait_until_full(walk.at);
        rows.issue_scores(queries, ring.stage(walk.at.stage));
      }
      return;
    }
  }
  rows.weigh(factors.of_rows);
  rows.issue_mixture(ring.stage(of_values));
  if constexpr (kIsLast) {
    ptx::wgmma_wait<0>();
  } else {
    ring.wait_until_full(walk.at);
    rows.issue_scores(queries, ring.stage(walk.at.stage));
    ptx::wgmma_wait<1>();
  }
  rows.pin_mixture();
  ring.release(of_values);
  rows.promote(value_unscale);
}

// All tiles that the group sees; those that only others of the block see, it lets pass.
template <typename Tile, bool kCausal, typename Mask>
__device__ __forceinline__ void walk_tiles(const wgmma_detail::Ring<Tile>& ring, const AttentionShape& shape,
                                           const AttentionPlace& place, const GroupPlace& group, const Mask& mask,
                                           int tiles, const typename Tile::QueryParts& queries,
                                           typename Tile::Rows& rows) {
  Walk<Tile> walk;
  if (group.tiles > 0) {
    ring.wait_until_full(walk.at);
    rows.issue_scores(queries, ring.stage(walk.at.stage));
#pragma unroll 1
    while (walk.tile + 1 < group.tiles) {
      take_tile<Tile, kCausal, false>(ring, shape, place, group, mask, queries, rows, walk);
    }
    take_tile<Tile, kCausal, true>(ring, shape, place, group, mask, queries, rows, walk);
  }
#pragma unroll 1
  for (int turn = 2 * group.tiles; turn < 2 * tiles; ++turn) {
    ring.wait_until_full(walk.at);
    __syncwarp();  // before the stage is filled again, all lanes have seen it full
    ring.release(walk.at.stage);
    walk.at.next();
  }
}

// Stores a warp's 16 rows; those that are not finite, it computes again.
template <typename Tile, bool kCausal, typename T, typename Mask, typename Store>
__device__ __forceinline__ void store_rows(const AttentionShape& shape, const AttentionStart<T>& place,
                                           const GroupPlace& group, const RowStrides& strides, const Mask& mask,
                                           const Store& store, typename Tile::Rows& rows) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int64_t first_query = group.first_query + static_cast<int>(threadIdx.x) % 128 / kWarpThreads * 16;
  unsigned lacking[2];
  rows.finish_sums();
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int64_t query = first_query + half * 8 + lane / 4;
    lacking[half] = __ballot_sync(kFullWarp, query < shape.queries && !rows.is_finite(half));
    if (query < shape.queries && (lacking[half] >> (lane & ~3) & 0xf) == 0) {
      rows.store_row(half, shape.barred, [&](int dimension, float value) {
        if (dimension < shape.value_head_dimension) {
          store(place.batch, place.head, query, dimension, value);
        }
      });
    }
  }
#pragma unroll 1
  for (int row = 0; (lacking[0] | lacking[1]) != 0 && row < 16; ++row) {
    if (((row < 8 ? lacking[0] : lacking[1]) >> row % 8 * 4 & 0xf) != 0) {
      attend_plainly<Tile::head_dimension, kCausal>(shape, place, strides, mask, store, first_query + row);
    }
  }
}

template <typename Tile, bool kCausal, typename T, typename Mask, typename Store>
__device__ __forceinline__ void attend(const wgmma_detail::Ring<Tile>& ring, const AttentionShape& shape,
                                       const AttentionStart<T>& place, const RowStrides& strides, bool aligned,
                                       const Mask& mask, const Store& store, int tiles) {
  const GroupPlace group = group_place<Tile, kCausal>(shape, place);
  typename Tile::QueryParts queries;
  unsigned char* const shared = ring.stages + Tile::stages * Tile::stage_bytes +
                                static_cast<int>(threadIdx.x) / 128 * Tile::QueryParts::kSharedBytes;
  queries.load(place.query, strides.query, group.first_query, shape.queries, shape.head_dimension, aligned, shared);
  if constexpr (Tile::query_bytes > 0) {
    ptx::wgmma_publish_operands();
    ptx::barrier_of_threads<1, Tile::multipliers>();
  }
  typename Tile::Rows rows;
  walk_tiles<Tile, kCausal>(ring, shape, place, group, mask, tiles, queries, rows);
  store_rows<Tile, kCausal>(shape, place, group, strides, mask, store, rows);
}

template <typename Tile, bool kCausal, typename T, typename Mask, typename Store>
__global__ void __launch_bounds__(Tile::threads, 1)
    flash_wgmma_kernel(AttentionShape shape, AttentionOperandOf<T> query, AttentionOperandOf<T> key,
                       AttentionOperandOf<T> value, bool aligned, const unsigned char* planes, Mask mask, Store store) {
#ifdef STITCH_HAS_WGMMA
  extern __shared__ __align__(1024) unsigned char flash_wgmma_shared[];
  const wgmma_detail::Ring<Tile> ring(flash_wgmma_shared);
  ring.init();
  const AttentionStart<T> place = attention_place<Tile::queries, kCausal>(shape, query, key, value);
  const auto tiles = static_cast<int>(ceil_divide(place.keys, Tile::Keys::keys));
  if (threadIdx.x >= Tile::multipliers) {
    ptx::hand_back_registers<24>();
    if (threadIdx.x == Tile::multipliers) {
      const int64_t plane = place.batch * shape.key_heads + place.head / (shape.heads / shape.key_heads);
      const int64_t before = plane * ceil_divide(shape.keys, Tile::Keys::keys) * 2;
      bring_tiles<Tile>(ring, planes + before * Tile::Keys::stride, tiles);
    }
  } else {
    ptx::take_registers<Tile::registers>();
    attend<Tile, kCausal>(ring, shape, place, {query.row_stride, key.row_stride, value.row_stride}, aligned, mask,
                          store, tiles);
  }
#endif
}

template <typename Tile, bool kCausal, typename T, typename Mask, typename Store>
cudaError_t launch_flash_tile(const AttentionShape& shape, const AttentionOperandOf<T>& query,
                              const AttentionOperandOf<T>& key, const AttentionOperandOf<T>& value, const Mask& mask,
                              const Store& store, void* scratch, cudaStream_t stream) {
  const int64_t blocks = attention_blocks<Tile::queries>(shape);
  if (blocks == 0) {
    return cudaSuccess;
  }
  if (shape.head_dimension > Tile::head_dimension || shape.value_head_dimension > Tile::head_dimension) {
    return cudaErrorInvalidValue;
  }
  cudaError_t error = launch_split_keys_and_values<Tile::head_dimension>(shape, key, value, scratch, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const auto kernel = flash_wgmma_kernel<Tile, kCausal, T, Mask, Store>;
  error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  kernel<<<static_cast<unsigned>(blocks), Tile::threads, Tile::shared_bytes, stream>>>(
      shape, query, key, value, operand_aligned(query), static_cast<const unsigned char*>(scratch), mask, store);
  return cudaGetLastError();
}

}  // namespace flash_wgmma_detail

// kHeadDimension: 32, 64, 96 or 128, at least the shape's head dimensions. kProducts: 3 is fp32-class, 1 TF32-class.
// sm_90a; `scratch` of key_plane_bytes<kHeadDimension>(), 16-byte aligned.
template <int kProducts, int kHeadDimension, bool kCausal, typename T, typename Mask, typename Store>
cudaError_t launch_flash_attention_wgmma(const AttentionShape& shape, const AttentionOperandOf<T>& query,
                                         const AttentionOperandOf<T>& key, const AttentionOperandOf<T>& value,
                                         const Mask& mask, const Store& store, void* scratch, cudaStream_t stream) {
  using namespace flash_wgmma_detail;
  return launch_flash_tile<FlashTile<kHeadDimension, kProducts>, kCausal>(shape, query, key, value, mask, store,
                                                                          scratch, stream);
}

}  // namespace stitch
