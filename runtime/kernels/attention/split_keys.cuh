// SPDX-License-Identifier: Apache-2.0
// Attention of few queries over many keys (a decoder's step over its cache): reading keys and values is what costs, so
// they are read once for all queries and heads that share them, by as many blocks as the device needs to be busy.
// Blocks that share the keys of a row leave partial maxima, sums and mixtures in scratch; a second kernel joins them in
// the order of the keys. After T. Dao et al., "Flash-Decoding for long-context inference", 2023.
//
// A row is one query of one head; rows that share a key head are worked on together, kRows to a block. Within a block
// each group of threads that holds a key between them keeps an online softmax of its own.
#pragma once

#include "kernels/attention/group_rows.cuh"

namespace stitch {

namespace split_keys_detail {

constexpr int kJoinThreads = 128;

__host__ __device__ __forceinline__ int64_t all_rows(const AttentionShape& shape) {
  return shape.batch * shape.heads * shape.queries;
}

__device__ __forceinline__ BlockPart block_part(const AttentionShape& shape, const SplitKeys& work, int kRows) {
  const auto splits = static_cast<uint32_t>(work.splits);
  const auto tiles = static_cast<uint32_t>(work.row_tiles);
  const uint32_t tile = blockIdx.x / splits;
  const uint32_t sequence = tile / tiles;
  const auto key_heads = static_cast<uint32_t>(shape.key_heads);
  return {sequence / key_heads, sequence % key_heads, static_cast<int64_t>(tile % tiles) * kRows, blockIdx.x % splits};
}

// A row's element as all warps see it together; `softmax` becomes the row's.
template <int kRows, int kHeadDimension>
__device__ __forceinline__ float join_warps(const float (&mixtures)[kWarps][kRows][kHeadDimension],
                                            const SoftmaxPart (&parts)[kWarps][kRows], int r, int dimension,
                                            OnlineSoftmax& softmax) {
  float mixture = 0.0f;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    const SoftmaxFactors factors = softmax.join(parts[warp][r]);
    mixture = mixture * factors.own + mixtures[warp][r][dimension] * factors.other;
  }
  return mixture;
}

template <int kRows, int kHeadDimension, typename Store>
__device__ __forceinline__ void store_rows(const AttentionShape& shape, const SplitKeys& work, const BlockPart& part,
                                           const float (&mixtures)[kWarps][kRows][kHeadDimension],
                                           const SoftmaxPart (&parts)[kWarps][kRows], const Store& store) {
  const auto queries = static_cast<uint32_t>(shape.queries);
  for (int place = threadIdx.x; place < kRows * kHeadDimension; place += kThreads) {
    const int r = place / kHeadDimension;
    const int dimension = place % kHeadDimension;
    const auto row = static_cast<uint32_t>(part.first_row + r);
    if (row >= work.rows || dimension >= shape.value_head_dimension) {
      continue;
    }
    OnlineSoftmax softmax;
    const float mixture = join_warps(mixtures, parts, r, dimension, softmax);
    const int64_t head = part.key_head * (shape.heads / shape.key_heads) + row / queries;
    if (work.splits == 1) {
      store(part.batch, head, row % queries, dimension, mixture * softmax.scale(shape.barred));
      continue;
    }
    const int64_t of_all =
        part.split * all_rows(shape) + (part.batch * shape.heads + head) * shape.queries + row % queries;
    work.mixtures[of_all * shape.value_head_dimension + dimension] = mixture;
    if (dimension == 0) {
      work.softmax[of_all] = softmax.part();
    }
  }
}

// Whether a thread's share of a row can be read with one load of 16 bytes, wherever it lies.
template <typename T>
__host__ bool whole_loads(const AttentionOperandOf<T>& operand) {
  constexpr int64_t kLanes = 16 / sizeof(T);
  return reinterpret_cast<uintptr_t>(operand.data) % 16 == 0 && operand.batch_stride % kLanes == 0 &&
         operand.head_stride % kLanes == 0 && operand.row_stride % kLanes == 0;
}

template <int kHeadDimension, int kRows, bool kCausal, typename T, typename Mask, typename Store>
__global__ void __launch_bounds__(kThreads)
    split_keys_kernel(AttentionShape shape, SplitKeys work, AttentionOperandOf<T> query, AttentionOperandOf<T> key,
                      AttentionOperandOf<T> value, AttentionAlignment aligned, Mask mask, Store store) {
  using Tile = SplitKeysTile<kHeadDimension, kRows, T>;
  __shared__ float mixtures[kWarps][kRows][kHeadDimension];
  __shared__ SoftmaxPart parts[kWarps][kRows];
  const BlockPart part = block_part(shape, work, kRows);
  const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
  const int group = static_cast<int>(threadIdx.x) % kWarpThreads / Tile::key_threads;
  GroupRows<kHeadDimension, kRows, T> rows(shape, work, part);
  rows.load_queries(shape, query, aligned.query);

  const T* const first_key = key.data + part.batch * key.batch_stride + part.key_head * key.head_stride;
  const T* const first_value = value.data + part.batch * value.batch_stride + part.key_head * value.head_stride;
  const int64_t begin = part.split * work.split_keys;
  const int64_t end = begin + work.split_keys < work.keys ? begin + work.split_keys : work.keys;
  for (int64_t turn = begin + warp * Tile::warp_keys; turn < end; turn += Tile::block_keys) {
    Lanes<T, Tile::lanes> keys[Tile::loads];
    Lanes<T, Tile::lanes> values[Tile::loads];
#pragma unroll
    for (int load = 0; load < Tile::loads; ++load) {
      const int64_t at = turn + group + load * Tile::groups;
      keys[load] = load_part<Tile::lanes>(first_key + at * key.row_stride, rows.dimension(), shape.head_dimension,
                                          aligned.key, at < end);
    }
#pragma unroll
    for (int load = 0; load < Tile::loads; ++load) {
      const int64_t at = turn + group + load * Tile::groups;
      values[load] = load_part<Tile::lanes>(first_value + at * value.row_stride, rows.dimension(),
                                            shape.value_head_dimension, aligned.value, at < end);
    }
    rows.template take<kCausal>(shape, mask, turn + group, end, keys, values);
  }
  rows.join_groups();
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    rows.put(r, mixtures[warp][r], &parts[warp][r]);
  }
  __syncthreads();
  store_rows<kRows, kHeadDimension>(shape, work, part, mixtures, parts, store);
}

// One thread for each element of the result.
template <typename Store>
__global__ void __launch_bounds__(kJoinThreads)
    join_splits_kernel(AttentionShape shape, SplitKeys work, Divider dimensions, Store store) {
  const int64_t rows = all_rows(shape);
  const QuotientRemainder at = dimensions.divide(static_cast<int64_t>(blockIdx.x) * kJoinThreads + threadIdx.x);
  const int64_t row = at.quotient;
  if (row >= rows) {
    return;
  }
  OnlineSoftmax softmax;
  float mixture = 0.0f;
#pragma unroll 4
  for (int64_t split = 0; split < work.splits; ++split) {
    const int64_t part = split * rows + row;
    const SoftmaxFactors factors = softmax.join(work.softmax[part]);
    mixture = mixture * factors.own + work.mixtures[part * shape.value_head_dimension + at.remainder] * factors.other;
  }
  const int64_t plane = row / shape.queries;
  store(plane / shape.heads, plane % shape.heads, row % shape.queries, at.remainder,
        mixture * softmax.scale(shape.barred));
}

template <int kHeadDimension, int kRows, typename T>
SplitKeys cut_up(const AttentionShape& shape, bool is_causal, int64_t splits, void* scratch) {
  SplitKeys work;
  work.keys = is_causal && shape.queries < shape.keys ? shape.queries : shape.keys;
  work.rows = shape.heads / shape.key_heads * shape.queries;
  work.row_tiles = ceil_divide(work.rows, kRows);
  work.splits = splits;
  work.split_keys = round_up(ceil_divide(work.keys, splits), SplitKeysTile<kHeadDimension, kRows, T>::block_keys);
  work.mixtures = static_cast<float*>(scratch);
  work.softmax = reinterpret_cast<SoftmaxPart*>(work.mixtures + splits * all_rows(shape) * shape.value_head_dimension);
  return work;
}

}  // namespace split_keys_detail

// kHeadDimension: 32, 64 or 128, at least the shape's head dimensions. With more than one split, scratch of
// splits * batch * heads * queries * (value_head_dimension + 2) floats.
template <int kHeadDimension, int kRows, bool kCausal, typename T, typename Mask, typename Store>
cudaError_t launch_split_keys_attention(const AttentionShape& shape, const AttentionOperandOf<T>& query,
                                        const AttentionOperandOf<T>& key, const AttentionOperandOf<T>& value,
                                        const Mask& mask, const Store& store, int64_t splits, void* scratch,
                                        cudaStream_t stream) {
  using namespace split_keys_detail;
  if (shape.head_dimension > kHeadDimension || shape.value_head_dimension > kHeadDimension || splits < 1) {
    return cudaErrorInvalidValue;
  }
  const SplitKeys work = cut_up<kHeadDimension, kRows, T>(shape, kCausal, splits, scratch);
  const int64_t blocks = shape.batch * shape.key_heads * work.row_tiles * splits;
  if (blocks == 0) {
    return cudaSuccess;
  }
  const AttentionAlignment aligned{whole_loads(query), whole_loads(key), whole_loads(value)};
  split_keys_kernel<kHeadDimension, kRows, kCausal, T, Mask, Store>
      <<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(shape, work, query, key, value, aligned, mask, store);
  if (splits > 1) {
    const int64_t outputs = all_rows(shape) * shape.value_head_dimension;
    join_splits_kernel<<<static_cast<unsigned>(ceil_divide(outputs, kJoinThreads)), kJoinThreads, 0, stream>>>(
        shape, work, Divider(shape.value_head_dimension), store);
  }
  return cudaGetLastError();
}

}  // namespace stitch
