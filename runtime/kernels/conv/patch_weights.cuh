// SPDX-License-Identifier: Apache-2.0
// Weights in the order in which mma.m16n8k8 takes them from sixteen output channels and eight input channels of a tap,
// converted as the policy multiplies them: a lane reads its four words at once, and a warp 512 bytes in a row. Channels
// that are not there weigh nothing.
#pragma once

#include <type_traits>

#include "kernels/conv/patch_words.cuh"
#include "kernels/gemm/mma_policy.cuh"

namespace stitch {

// One product of operands rounded to TF32's eleven bits, as fp16 once powers of two have brought them into its range:
// an image's elements by one, the weights of each output channel by another.
struct ScaledFp16 {};

namespace patch_detail {

constexpr int kSlice = 8;        // words of a lane's row of an operand: input channels, or two of them each
constexpr int kRowsOfTile = 16;  // output channels
constexpr int kWordsOfLane = 4;
constexpr int kWordsOfTile = 32 * kWordsOfLane;

// Parts that an operand is multiplied in.
template <typename Policy>
constexpr int kParts = 1;
template <>
inline constexpr int kParts<Tf32x3> = 2;

template <typename Policy>
constexpr bool kIsScaled = std::is_same_v<Policy, ScaledFp16>;

// Input channels that are multiplied at a time.
template <typename Policy, typename Window>
constexpr int kChannelsOfSlice = (kIsScaled<Policy> ? 2 : 1) * kSlice / WindowFold<Window>::fold;

// Tiles lie behind each other by group, block of output channels, eight input channels, sixteen output channels, tap
// and part, so that what a block multiplies at a time is in one piece.
struct WeightTiles {
  int64_t tiles_of_block;   // along the output channels
  int64_t blocks_of_group;  // likewise
  int64_t slices;           // along the input channels

  __host__ WeightTiles(const ConvShape& shape, int tiles_of_block, int channels_of_slice)
      : tiles_of_block(tiles_of_block),
        blocks_of_group(ceil_divide(shape.out_channels / shape.groups, kRowsOfTile * tiles_of_block)),
        slices(ceil_divide(shape.in_channels / shape.groups, channels_of_slice)) {}

  // Tiles of a tap and a part.
  __host__ __device__ int64_t count(const ConvShape& shape) const {
    return shape.groups * blocks_of_group * slices * tiles_of_block;
  }
  // Output channels, those included that only fill up a block.
  __host__ __device__ int64_t channels(const ConvShape& shape) const {
    return shape.groups * blocks_of_group * tiles_of_block * kRowsOfTile;
  }
};

// 1 / scale of operands, of ScaledFp16.
struct PatchScales {
  const float* channels;
  const ImageRange* images;
};

// Where a number of output channels that fill up blocks lies.
struct ChannelPlace {
  int64_t group;
  int64_t channel;  // of the group
  bool is_there;

  __device__ __forceinline__ ChannelPlace(const ConvShape& shape, const WeightTiles& tiles, int64_t number)
      : group(number / (tiles.blocks_of_group * tiles.tiles_of_block * kRowsOfTile)),
        channel(number % (tiles.blocks_of_group * tiles.tiles_of_block * kRowsOfTile)),
        is_there(channel < shape.out_channels / shape.groups) {}
};

// A warp looks through the weights of an output channel.
template <typename Window>
__device__ __forceinline__ void scale_channel(const ConvShape& shape, const ChannelPlace& place, const float* weight,
                                              float& unscale) {
  constexpr float kSmall = 0x1p-14f;   // scaled weights below this lose bits
  constexpr unsigned kMaySuffer = 64;  // one of so many that are not zero
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t count = place.is_there ? shape.in_channels / shape.groups * Window::taps : 0;
  const auto weight_of = [&](int64_t i) {
    return weight[weight_place<Window>(shape, place.group, place.channel, i / Window::taps) + i % Window::taps];
  };
  uint32_t largest = 0;
#pragma unroll 8
  for (int64_t i = lane; i < count; i += 32) {
    largest = max(largest, finite_magnitude_bits(weight_of(i)));
  }
  const Fp16Scale scale = fp16_scale(__reduce_max_sync(kFullWarp, largest));
  unsigned nonzero = 0;
  unsigned small = 0;
#pragma unroll 8
  for (int64_t i = lane; i < count; i += 32) {
    const float scaled = fabsf(weight_of(i) * scale.scale);
    nonzero += scaled != 0 ? 1 : 0;
    small += scaled != 0 && scaled < kSmall ? 1 : 0;
  }
  nonzero = __reduce_add_sync(kFullWarp, nonzero);
  small = __reduce_add_sync(kFullWarp, small);
  if (lane == 0) {
    unscale = small * kMaySuffer > nonzero ? __uint_as_float(fp16_detail::kNan) : scale.unscale;
  }
}

constexpr int kScaleThreads = 128;

// The first blocks scale output channels, a warp each, the others images.
template <typename Window>
__global__ void __launch_bounds__(kScaleThreads)
    scale_kernel(ConvShape shape, WeightTiles tiles, unsigned blocks_of_channels, const float* input,
                 const float* weight, float* unscale, ImageRange* ranges) {
  if (blockIdx.x >= blocks_of_channels) {
    const int64_t image = blockIdx.x - blocks_of_channels;
    const int64_t elements = shape.in_channels * shape.depth * shape.height * shape.width;
    sample_image(input + image * elements, elements, ranges[image]);
    return;
  }
  const int64_t number = (int64_t{blockIdx.x} * kScaleThreads + threadIdx.x) / 32;
  if (number < tiles.channels(shape)) {
    scale_channel<Window>(shape, ChannelPlace(shape, tiles, number), weight, unscale[number]);
  }
}

// Input channel and tap of a word of a slice; `half` of the two that fp16 has.
template <typename Policy, typename Window>
struct WeightOfWord {
  using Fold = WindowFold<Window>;
  using Original = typename Fold::Original;
  static constexpr int planes = kSlice / Fold::fold;

  int64_t input_channel;
  int64_t tap;
  bool is_there;

  __device__ __forceinline__ WeightOfWord(const ConvShape& shape, int64_t slice, int64_t folded, int word, int half) {
    const int64_t plane = slice * planes + word % planes;
    input_channel = kIsScaled<Policy> ? plane * 2 + half : plane;
    const int64_t x = folded % Window::kernel_x * Fold::fold + word / planes;
    tap = folded / Window::kernel_x * Original::kernel_x + x;
    is_there = x < Original::kernel_x && input_channel < shape.in_channels / shape.groups;
  }
};

// A thread makes the words of one lane.
template <typename Policy, typename Window>
__global__ void arrange_kernel(ConvShape shape, WeightTiles tiles, const float* weight, uint4* arranged,
                               const float* unscale, int64_t count) {
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
  const auto weight_of = [&](int word, int half) {
    using Place = WeightOfWord<Policy, Window>;
    const int64_t channel = first_channel + lane / 4 + word % 2 * 8;
    const Place place(shape, slice, tap, lane % 4 + word / 2 * 4, half);
    return place.is_there && channel < shape.out_channels / shape.groups
               ? weight[weight_place<typename Place::Original>(shape, group, channel, place.input_channel) + place.tap]
               : 0.0f;
  };
  float values[kWordsOfLane];
#pragma unroll
  for (int word = 0; word < kWordsOfLane; ++word) {
    values[word] = weight_of(word, 0);
  }
  if constexpr (kIsScaled<Policy>) {
    uint32_t words[kWordsOfLane];
#pragma unroll
    for (int word = 0; word < kWordsOfLane; ++word) {
      // The scale is a power of two, and so is what it is divided into. A channel without one has no products.
      const float scale =
          1.0f / unscale[block * tiles.tiles_of_block * kRowsOfTile + tile * kRowsOfTile + lane / 4 + word % 2 * 8];
      words[word] = scale == scale ? ptx::pack_fp16x2(values[word] * scale, weight_of(word, 1) * scale) : 0;
    }
    arranged[i] = make_uint4(words[0], words[1], words[2], words[3]);
  } else if constexpr (kParts<Policy> == 2) {
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

// What a launch keeps in its scratch memory, which is aligned to 16 bytes: the weights as they are multiplied; where
// operands are scaled, 1 / scale of each output channel, what is known of each image, and the input's words.
template <typename Policy, typename Window>
struct PatchScratch {
  WeightTiles tiles;
  int64_t unscale_at;
  int64_t ranges_at;
  int64_t words_at;
  int64_t bytes;

  __host__ PatchScratch(const ConvShape& shape, int tiles_of_block)
      : tiles(shape, tiles_of_block, kChannelsOfSlice<Policy, Window>),
        unscale_at(tiles.count(shape) * Window::taps * kParts<Policy> * kWordsOfTile * int64_t{sizeof(uint32_t)}),
        ranges_at(unscale_at + tiles.channels(shape) * int64_t{sizeof(float)}),
        words_at(ranges_at + shape.batch * int64_t{sizeof(ImageRange)}),
        bytes(kIsScaled<Policy> ? words_at + WordPlanes(shape).bytes(shape) : unscale_at) {}
};
static_assert(sizeof(ImageRange) % 16 == 0);

template <typename Policy, typename Window>
cudaError_t launch_arrange(const ConvShape& shape, const WeightTiles& tiles, const float* weight, const float* unscale,
                           uint4* arranged, cudaStream_t stream) {
  constexpr int kThreads = 128;
  const int64_t count = tiles.count(shape) * Window::taps * 32;
  arrange_kernel<Policy, Window><<<static_cast<unsigned>(ceil_divide(count, kThreads)), kThreads, 0, stream>>>(
      shape, tiles, weight, arranged, unscale, count);
  return cudaGetLastError();
}

// Before launch_arrange() and launch_pack() where operands are scaled.
template <typename Window>
cudaError_t launch_scale(const ConvShape& shape, const WeightTiles& tiles, const float* input, const float* weight,
                         float* unscale, ImageRange* ranges, cudaStream_t stream) {
  const auto blocks_of_channels = static_cast<unsigned>(ceil_divide(tiles.channels(shape) * 32, kScaleThreads));
  scale_kernel<Window><<<blocks_of_channels + static_cast<unsigned>(shape.batch), kScaleThreads, 0, stream>>>(
      shape, tiles, blocks_of_channels, input, weight, unscale, ranges);
  return cudaGetLastError();
}

}  // namespace patch_detail

}  // namespace stitch
