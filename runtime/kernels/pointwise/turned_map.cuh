// SPDX-License-Identifier: Apache-2.0
// Pointwise map of an operand that lies in memory along another axis than the result does: a transposition, with
// whatever is computed on the way.
//
// Neighbouring threads of map.cuh take neighbouring elements of the result, so each reads 4 bytes of a sector of 32
// that no neighbour wants. Here a block takes a tile of 32 x 32: along kAxis, where the operand's neighbours lie, and
// along the innermost axis, where the result's do. A warp takes 4 x 8 of it at a time: it stores whole sectors, and
// what is left of those it reads is asked for by the other warps of the block, while they are in L1. Nothing is staged
// in shared memory, so the functor is that of map.cuh.
#pragma once

#include "kernels/pointwise/map.cuh"

namespace stitch {

namespace turned_map_detail {

constexpr int kTile = 32;
constexpr int kAlongResult = 8;                   // of a warp: 32 bytes
constexpr int kAlongOperand = 32 / kAlongResult;  // of a warp; 8 warps are a tile's side
constexpr int kThreads = kTile / kAlongOperand * 32;

template <int kRank>
struct Tiles {
  Divider axis[kRank];  // by how many tiles, or elements where an axis is not tiled
  int64_t operand_extent;
  int64_t result_extent;
};

template <int kRank, int kAxis, typename Functor>
__global__ void __launch_bounds__(kThreads) turned_map_kernel(Functor functor, Tiles<kRank> tiles) {
  Index<kRank> at;
  int64_t tile = blockIdx.x;
#pragma unroll
  for (int axis = kRank - 1; axis > 0; --axis) {
    const QuotientRemainder split = tiles.axis[axis].divide(tile);
    at.axis[axis] = split.remainder;
    tile = split.quotient;
  }
  at.axis[0] = tile;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  at.axis[kAxis] = at.axis[kAxis] * kTile + warp * kAlongOperand + lane / kAlongResult;
  if (at.axis[kAxis] >= tiles.operand_extent) {
    return;
  }
  const int64_t first = at.axis[kRank - 1] * kTile + lane % kAlongResult;
#pragma unroll
  for (int step = 0; step < kTile / kAlongResult; ++step) {
    at.axis[kRank - 1] = first + step * kAlongResult;
    if (at.axis[kRank - 1] < tiles.result_extent) {
      functor.template apply<1>(at);
    }
  }
}

}  // namespace turned_map_detail

// The functor of launch_map(). kAxis: not the innermost.
template <int kRank, int kAxis, typename Functor>
cudaError_t launch_turned_map(const Functor& functor, const MapShape<kRank>& shape, cudaStream_t stream) {
  using namespace turned_map_detail;
  static_assert(kAxis >= 0 && kAxis < kRank - 1, "an operand that lies along the innermost axis needs no tiles");
  Tiles<kRank> tiles;
  tiles.operand_extent = shape.extents[kAxis];
  tiles.result_extent = shape.extents[kRank - 1];
  int64_t blocks = 1;
  for (int axis = 0; axis < kRank; ++axis) {
    const bool is_tiled = axis == kAxis || axis == kRank - 1;
    const int64_t parts = is_tiled ? ceil_divide(shape.extents[axis], int64_t{kTile}) : shape.extents[axis];
    tiles.axis[axis] = Divider(parts);
    blocks *= parts;
  }
  if (blocks == 0) {
    return cudaSuccess;
  }
  turned_map_kernel<kRank, kAxis, Functor><<<static_cast<unsigned>(blocks), kThreads, 0, stream>>>(functor, tiles);
  return cudaGetLastError();
}

}  // namespace stitch
