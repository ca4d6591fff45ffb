// SPDX-License-Identifier: Apache-2.0
// Which queries, batch element and head a block of an attention kernel works on, and how many keys they can see.
#pragma once

#include "kernels/attention/operands.cuh"

namespace stitch {

struct AttentionPlace {
  int64_t batch;
  int64_t head;
  int64_t first_query;
  int64_t keys;  // keys beyond these are barred for every query of the block
};

// With the operands of that batch element and head.
template <typename T>
struct AttentionStart : AttentionPlace {
  const T* query;
  const T* key;
  const T* value;
};

// Blocks with many keys to walk start first, so that causal attention has no long tail.
template <int kQueries, bool kCausal, typename T>
__device__ __forceinline__ AttentionStart<T> attention_place(const AttentionShape& shape,
                                                             const AttentionOperandOf<T>& query,
                                                             const AttentionOperandOf<T>& key,
                                                             const AttentionOperandOf<T>& value) {
  const auto heads = static_cast<uint32_t>(shape.heads);
  const auto tiles = static_cast<uint32_t>(ceil_divide(shape.queries, kQueries));
  const uint32_t sequence = blockIdx.x % (static_cast<uint32_t>(shape.batch) * heads);
  const uint32_t tile = tiles - 1 - blockIdx.x / (static_cast<uint32_t>(shape.batch) * heads);
  AttentionStart<T> place;
  place.batch = sequence / heads;
  place.head = sequence % heads;
  place.first_query = static_cast<int64_t>(tile) * kQueries;
  const int64_t visible = place.first_query + kQueries;
  place.keys = kCausal && visible < shape.keys ? visible : shape.keys;
  const int64_t key_head = place.head / (shape.heads / shape.key_heads);
  place.query = query.data + place.batch * query.batch_stride + place.head * query.head_stride;
  place.key = key.data + place.batch * key.batch_stride + key_head * key.head_stride;
  place.value = value.data + place.batch * value.batch_stride + key_head * value.head_stride;
  return place;
}

template <int kQueries>
__host__ int64_t attention_blocks(const AttentionShape& shape) {
  return shape.batch * shape.heads * ceil_divide(shape.queries, kQueries);
}

// The score as softmax sees it: scaled, masked, and -inf for keys out of range.
template <bool kCausal, typename Mask>
__device__ __forceinline__ float masked_score(const AttentionShape& shape, const AttentionPlace& place,
                                              const Mask& mask, int64_t query, int64_t key, float product) {
  const bool barred = key >= place.keys || (kCausal && key > query);
  if (barred || query >= shape.queries) {
    return -INFINITY;
  }
  return mask(place.batch, place.head, query, key, product * shape.scale);
}

// Four neighbours of row `row`, starting at `dimension`; zeros outside.
template <typename T>
__device__ __forceinline__ Lanes<float, 4> load_head_lanes(const T* data, int64_t row_stride, int64_t row, int64_t rows,
                                                           int64_t dimension, int64_t dimensions, bool aligned) {
  Lanes<float, 4> lanes = broadcast_lanes<4>(0.0f);
  if (row >= rows) {
    return lanes;
  }
  const T* source = data + row * row_stride + dimension;
  if (aligned && dimension + 4 <= dimensions) {
    return load_float_lanes<4>(source);
  }
#pragma unroll
  for (int lane = 0; lane < 4; ++lane) {
    if (dimension + lane < dimensions) {
      lanes[lane] = to_float(source[lane]);
    }
  }
  return lanes;
}

struct AttentionAlignment {
  bool query;
  bool key;
  bool value;
};

template <typename T>
__host__ bool operand_aligned(const AttentionOperandOf<T>& operand) {
  return lanes_aligned(operand.data, operand.batch_stride, operand.head_stride, operand.row_stride);
}

// Starts a kernel of blocks of kQueries queries, whose tiles hold heads of up to kHeadDimension.
template <typename Tile, int kHeadDimension, int kQueries, int kThreads, typename Kernel, typename T, typename Mask,
          typename Store>
cudaError_t launch_attention(Kernel kernel, const AttentionShape& shape, const AttentionOperandOf<T>& query,
                             const AttentionOperandOf<T>& key, const AttentionOperandOf<T>& value, const Mask& mask,
                             const Store& store, cudaStream_t stream) {
  const int64_t blocks = attention_blocks<kQueries>(shape);
  if (blocks == 0) {
    return cudaSuccess;
  }
  if (shape.head_dimension > kHeadDimension || shape.value_head_dimension > kHeadDimension) {
    return cudaErrorInvalidValue;
  }
  const cudaError_t error = allow_shared_memory(kernel, Tile::shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const AttentionAlignment aligned{operand_aligned(query), operand_aligned(key), operand_aligned(value)};
  kernel<<<static_cast<unsigned>(blocks), kThreads, Tile::shared_bytes, stream>>>(shape, query, key, value, aligned,
                                                                                  mask, store);
  return cudaGetLastError();
}

}  // namespace stitch
