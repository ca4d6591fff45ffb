// SPDX-License-Identifier: Apache-2.0
// Keys and values as fp16 planes (kernels/gemm/planes.cuh) for attention by wgmma: tiles of 64 keys, each a run of
// bytes that the copy engine takes into shared memory as it is. A row of 128 bytes has the upper and lower parts of 32
// elements along what a product sums over: of keys 32 dimensions, 64 rows; of values 32 keys, a row a dimension.
//
// All of a tile has one scale, whose inverse follows the rows: it becomes part of the factor that scores, or partial
// sums, are multiplied with anyway.
#pragma once

#include "kernels/attention/block.cuh"
#include "kernels/gemm/planes.cuh"

namespace stitch {

template <int kHeadDimension>
struct KeyTile {
  static constexpr int keys = 64;
  static constexpr int k = PlaneBlock::k;
  static constexpr int row_bytes = PlaneBlock::row_bytes;
  static constexpr int plane_bytes = keys * kHeadDimension * 4;
  static constexpr int bytes = plane_bytes + 16;    // that are copied
  static constexpr int stride = plane_bytes + 128;  // from a tile of keys to that of its values, and to the next keys
};

// Of the scratch that launch_split_keys_and_values() fills.
template <int kHeadDimension>
__host__ __device__ constexpr int64_t key_plane_bytes(int64_t batch, int64_t key_heads, int64_t keys) {
  using Tile = KeyTile<kHeadDimension>;
  return batch * key_heads * ceil_divide(keys, Tile::keys) * 2 * Tile::stride;
}

namespace key_planes_detail {

constexpr int kThreads = 256;
constexpr int kPiece = split_detail::kPiece;
constexpr uint32_t kMaySuffer = 4;  // one of so many elements of a tile may lose bits, as of wide exponents some do

struct LargestBits {
  uint32_t value;
  __device__ __forceinline__ void merge(const LargestBits& other) { value = max(value, other.value); }
};

struct SmallCount {
  uint32_t nonzero;
  uint32_t small;
  __device__ __forceinline__ void merge(const SmallCount& other) {
    nonzero += other.nonzero;
    small += other.small;
  }
};

// Eight neighbours of row `row` of planes that start at `k`.
struct PiecePlace {
  int row;
  int k;
};

template <int kHeadDimension>
__device__ __forceinline__ PiecePlace piece_place(int piece, bool is_value) {
  constexpr int kAlong = kHeadDimension / kPiece;
  return is_value ? PiecePlace{piece % kHeadDimension, piece / kHeadDimension * kPiece}
                  : PiecePlace{piece / kAlong, piece % kAlong * kPiece};
}

// Of the head's keys, or its values; `first_key` of the tile.
template <typename T>
struct TileSource {
  const T* data;
  int64_t row_stride;
  int64_t first_key;
  int64_t keys;
  int64_t dimensions;
  bool aligned;
  bool is_value;
};

template <typename T>
__device__ __forceinline__ void load_piece(float (&values)[kPiece], const TileSource<T>& source,
                                           const PiecePlace& place) {
  if (source.is_value) {
#pragma unroll
    for (int i = 0; i < kPiece; ++i) {
      const int64_t key = source.first_key + place.k + i;
      const bool is_inside = key < source.keys && place.row < source.dimensions;
      values[i] = is_inside ? to_float(source.data[key * source.row_stride + place.row]) : 0.0f;
    }
    return;
  }
#pragma unroll
  for (int i = 0; i < kPiece; i += 4) {
    const Lanes<float, 4> lanes = load_head_lanes(source.data, source.row_stride, source.first_key + place.row,
                                                  source.keys, place.k + i, source.dimensions, source.aligned);
#pragma unroll
    for (int lane = 0; lane < 4; ++lane) {
      values[i + lane] = lanes[lane];
    }
  }
}

__device__ __forceinline__ void put_piece(const split_detail::SplitPiece& piece, unsigned char* planes, int rows,
                                          const PiecePlace& place) {
  unsigned char* line = planes + (place.k / PlaneBlock::k * rows + place.row) * PlaneBlock::row_bytes;
  const int at = place.k % PlaneBlock::k / kPiece;
  const int swizzle = place.row % 8;
  *reinterpret_cast<uint4*>(line + (at ^ swizzle) * 16) = piece.upper;
  *reinterpret_cast<uint4*>(line + ((at + 4) ^ swizzle) * 16) = piece.lower;
}

// Splits a tile into `planes`, in shared memory, and its inverse scale after them.
template <int kHeadDimension, typename T>
__device__ __forceinline__ void split_tile(const TileSource<T>& source, unsigned char* planes) {
  using Tile = KeyTile<kHeadDimension>;
  constexpr int kHeld = Tile::keys * kHeadDimension / kPiece / kThreads;
  float held[kHeld][kPiece];
  LargestBits largest{0};
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int piece = static_cast<int>(threadIdx.x) + i * kThreads;
    load_piece(held[i], source, piece_place<kHeadDimension>(piece, source.is_value));
  }
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    largest.merge({split_detail::largest_bits(held[i])});
  }
  const split_detail::RowScale scale = split_detail::row_scale(block_merge<kThreads>(largest).value);
  SmallCount count{0, 0};
#pragma unroll
  for (int i = 0; i < kHeld; ++i) {
    const int piece = static_cast<int>(threadIdx.x) + i * kThreads;
    put_piece(split_detail::split_piece(held[i], scale, count.nonzero, count.small), planes,
              source.is_value ? kHeadDimension : Tile::keys, piece_place<kHeadDimension>(piece, source.is_value));
  }
  count = block_merge<kThreads>(count);
  if (threadIdx.x == 0) {
    const bool suffers = count.small * kMaySuffer > count.nonzero;
    const float unscale = suffers ? __uint_as_float(fp16_detail::kNan) : scale.unscale;
    *reinterpret_cast<float4*>(planes + Tile::plane_bytes) = float4{unscale, 0, 0, 0};
  }
}

// A block a tile of keys, or of values.
template <int kHeadDimension, typename T>
__global__ void __launch_bounds__(kThreads)
    split_keys_and_values_kernel(AttentionShape shape, AttentionOperandOf<T> key, AttentionOperandOf<T> value,
                                 AttentionAlignment aligned, uint32_t tiles, unsigned char* scratch) {
  using Tile = KeyTile<kHeadDimension>;
  __shared__ uint4 tile[Tile::bytes / 16];
  const bool is_value = blockIdx.x % 2 != 0;
  const uint32_t plane = blockIdx.x / 2 / tiles;
  const int64_t batch = plane / static_cast<uint32_t>(shape.key_heads);
  const int64_t head = plane % static_cast<uint32_t>(shape.key_heads);
  const AttentionOperandOf<T>& operand = is_value ? value : key;
  const TileSource<T> source{operand.data + batch * operand.batch_stride + head * operand.head_stride,
                             operand.row_stride,
                             static_cast<int64_t>(blockIdx.x / 2 % tiles) * Tile::keys,
                             shape.keys,
                             is_value ? shape.value_head_dimension : shape.head_dimension,
                             aligned.key,
                             is_value};
  split_tile<kHeadDimension>(source, reinterpret_cast<unsigned char*>(tile));
  __syncthreads();
  auto* const target = reinterpret_cast<uint4*>(scratch + static_cast<int64_t>(blockIdx.x) * Tile::stride);
  for (int i = static_cast<int>(threadIdx.x); i < Tile::bytes / 16; i += kThreads) {
    target[i] = tile[i];
  }
}

}  // namespace key_planes_detail

// `scratch`: key_plane_bytes(), 16-byte aligned.
template <int kHeadDimension, typename T>
cudaError_t launch_split_keys_and_values(const AttentionShape& shape, const AttentionOperandOf<T>& key,
                                         const AttentionOperandOf<T>& value, void* scratch, cudaStream_t stream) {
  using namespace key_planes_detail;
  const int64_t tiles = ceil_divide(shape.keys, KeyTile<kHeadDimension>::keys);
  const auto blocks = static_cast<unsigned>(shape.batch * shape.key_heads * tiles * 2);
  if (blocks == 0) {
    return cudaSuccess;
  }
  const AttentionAlignment aligned{false, operand_aligned(key), operand_aligned(value)};
  split_keys_and_values_kernel<kHeadDimension, T><<<blocks, kThreads, 0, stream>>>(
      shape, key, value, aligned, static_cast<uint32_t>(tiles), static_cast<unsigned char*>(scratch));
  return cudaGetLastError();
}

}  // namespace stitch
