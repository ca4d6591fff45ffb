// SPDX-License-Identifier: Apache-2.0
// Weights in the order in which mma.m16n8k8 takes them from sixteen output channels and eight input channels of a tap,
// converted as the policy multiplies them: a lane reads its four words at once, and a warp 512 bytes in a row. Channels
// that are not there weigh nothing.
#pragma once

#include "kernels/conv/patch_axes.cuh"
#include "kernels/gemm/mma_policy.cuh"

namespace stitch {

namespace patch_detail {

constexpr int kSlice = 8;        // input channels
constexpr int kRowsOfTile = 16;  // output channels
constexpr int kWordsOfLane = 4;
constexpr int kWordsOfTile = 32 * kWordsOfLane;

// Parts that an operand is multiplied in.
template <typename Policy>
constexpr int kParts = 1;
template <>
inline constexpr int kParts<Tf32x3> = 2;

// Tiles lie behind each other by group, block of output channels, eight input channels, sixteen output channels, tap
// and part, so that what a block multiplies at a time is in one piece.
struct WeightTiles {
  int64_t tiles_of_block;   // along the output channels
  int64_t blocks_of_group;  // likewise
  int64_t slices;           // along the input channels

  __host__ __device__ WeightTiles(const ConvShape& shape, int tiles_of_block)
      : tiles_of_block(tiles_of_block),
        blocks_of_group(ceil_divide(shape.out_channels / shape.groups, kRowsOfTile * tiles_of_block)),
        slices(ceil_divide(shape.in_channels / shape.groups, kSlice)) {}

  // Tiles of a tap and a part.
  __host__ __device__ int64_t count(const ConvShape& shape) const {
    return shape.groups * blocks_of_group * slices * tiles_of_block;
  }
};

// A thread makes the words of one lane.
template <typename Policy, typename Window>
__global__ void arrange_kernel(ConvShape shape, WeightTiles tiles, const float* weight, uint4* arranged,
                               int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const auto lane = static_cast<int>(i % 32);
  const int64_t at = i / 32;
  const int64_t tap = at % Window::taps;
  const int64_t tile = at / Window::taps % tiles.tiles_of_block;
  const int64_t slice = at / Window::taps / tiles.tiles_of_block % tiles.slices;
  const int64_t block = at / Window::taps / tiles.tiles_of_block / tiles.slices;
  const int64_t group = block / tiles.blocks_of_group;
  const int64_t first_channel = (block % tiles.blocks_of_group * tiles.tiles_of_block + tile) * kRowsOfTile;
  float values[kWordsOfLane];
#pragma unroll
  for (int word = 0; word < kWordsOfLane; ++word) {
    const int64_t channel = first_channel + lane / 4 + word % 2 * 8;
    const int64_t input_channel = slice * kSlice + lane % 4 + word / 2 * 4;
    const bool is_there =
        channel < shape.out_channels / shape.groups && input_channel < shape.in_channels / shape.groups;
    values[word] = is_there ? weight[weight_place<Window>(shape, group, channel, input_channel) + tap] : 0.0f;
  }
  if constexpr (kParts<Policy> == 2) {
    uint32_t upper[kWordsOfLane];
    uint32_t lower[kWordsOfLane];
    mma_detail::split_fragment(upper, lower, values);
    arranged[at * 64 + lane] = make_uint4(upper[0], upper[1], upper[2], upper[3]);
    arranged[at * 64 + 32 + lane] = make_uint4(lower[0], lower[1], lower[2], lower[3]);
  } else {
    arranged[i] = make_uint4(mma_detail::rounded_tf32(values[0]), mma_detail::rounded_tf32(values[1]),
                             mma_detail::rounded_tf32(values[2]), mma_detail::rounded_tf32(values[3]));
  }
}

template <typename Policy, typename Window>
cudaError_t launch_arrange(const ConvShape& shape, const WeightTiles& tiles, const float* weight, uint4* arranged,
                           cudaStream_t stream) {
  constexpr int kThreads = 128;
  const int64_t count = tiles.count(shape) * Window::taps * 32;
  arrange_kernel<Policy, Window><<<static_cast<unsigned>(ceil_divide(count, kThreads)), kThreads, 0, stream>>>(
      shape, tiles, weight, arranged, count);
  return cudaGetLastError();
}

}  // namespace patch_detail

}  // namespace stitch
