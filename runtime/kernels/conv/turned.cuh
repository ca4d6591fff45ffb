// SPDX-License-Identifier: Apache-2.0
// Images with channels first, turned to channels last and back through shared memory, tile by tile: 16 elements of each
// thread are under way at a time, and both sides are accessed in the order in which they lie, 16 bytes a thread where
// alignment allows.
//
// Finish: void operator()(int64_t image, int64_t channel, int64_t pixel, float value) const, pixels counted through the
// image; and, optionally, template <int kLanes> void lanes(image, channel, pixel, const Lanes<float, kLanes>&) const
// for neighbouring pixels, which is called only where the caller has proved that it may be.
#pragma once

#include "kernels/conv/shape.cuh"
#include "kernels/conv/turn_tile.cuh"
#include "stitch/step.h"

namespace stitch {

// A step's scratch memory, piece by piece, each aligned to 256 bytes. The first `taken_bytes` are somebody else's.
class ScratchPieces {
 public:
  explicit ScratchPieces(const StepArgs* args, int64_t taken_bytes = 0)
      : next_(aligned(reinterpret_cast<uintptr_t>(args->scratch) + static_cast<uint64_t>(taken_bytes))),
        end_(reinterpret_cast<uintptr_t>(args->scratch) + args->scratch_bytes) {}
  float* take(int64_t floats) {
    const uintptr_t start = next_;
    next_ = aligned(start + floats * sizeof(float));
    return reinterpret_cast<float*>(start);
  }
  void* rest() const { return reinterpret_cast<void*>(next_); }
  uint64_t rest_bytes() const { return end_ > next_ ? end_ - next_ : 0; }

 private:
  static uintptr_t aligned(uintptr_t address) {
    constexpr uintptr_t kAlignment = 256;
    return (address + kAlignment - 1) / kAlignment * kAlignment;
  }

  uintptr_t next_;
  uintptr_t end_;
};

namespace turn_detail {

// The images of one call: each has `channels` times `pixels` elements.
struct Images {
  int64_t channels;
  int64_t pixels;
  Divider channel_tiles;
  Divider pixel_tiles;
  bool wide_first;  // with channels first, four pixels may be accessed as one
  bool wide_last;   // with channels last, four channels
};

// What one block turns.
struct Place {
  int64_t image;
  int64_t first_pixel;
  int64_t first_channel;
};

// Tiles of the same pixels follow each other: they share what lies side by side with channels last.
template <typename Tile>
__device__ __forceinline__ Place place_of(const Images& images, int64_t block) {
  const QuotientRemainder across = images.channel_tiles.divide(block);
  const QuotientRemainder down = images.pixel_tiles.divide(across.quotient);
  return {down.quotient, down.remainder * Tile::pixels, across.remainder * Tile::channels};
}

// Of the tile at `place`, the part inside its image.
template <typename Tile>
__device__ __forceinline__ TileSide first_side(const Images& images, const Place& place) {
  const int64_t pixels = images.pixels - place.first_pixel;
  const int64_t channels = images.channels - place.first_channel;
  return {pixels < Tile::pixels ? static_cast<int>(pixels) : Tile::pixels,
          channels < Tile::channels ? static_cast<int>(channels) : Tile::channels, images.pixels, images.wide_first};
}

template <typename Tile>
__device__ __forceinline__ TileSide last_side(const Images& images, const Place& place) {
  const TileSide first = first_side<Tile>(images, place);
  return {first.across, first.along, images.channels, images.wide_last};
}

template <typename Tile>
__device__ __forceinline__ void turn_to_channels_last(const float* source, float* destination, const Images& images,
                                                      int64_t block, float* tile) {
  const Place place = place_of<Tile>(images, block);
  const int64_t start = place.image * images.channels * images.pixels;
  TileRows<Tile, true>{tile}.fill(source + start + place.first_channel * images.pixels + place.first_pixel,
                                  first_side<Tile>(images, place));
  __syncthreads();
  float* const to = destination + start + place.first_pixel * images.channels + place.first_channel;
  const TileSide side = last_side<Tile>(images, place);
  const TileRows<Tile, false> channels{tile};
  if (side.wide) {
    channels.for_each_group(side, [&](int channel, int pixel, const Lanes<float, kTurnLanes>& values) {
      store_global_lanes(to + pixel * images.channels + channel, values);
    });
  } else {
    channels.for_each(side,
                      [&](int channel, int pixel, float value) { to[pixel * images.channels + channel] = value; });
  }
}

struct Turned {
  const float* source;
  float* destination;
  Images images;
};

template <typename Tile>
__global__ void __launch_bounds__(Tile::threads) to_channels_last_kernel(Turned operand) {
  __shared__ float tile[Tile::floats];
  turn_to_channels_last<Tile>(operand.source, operand.destination, operand.images, blockIdx.x, tile);
}

// One launch turns an input and a weight: the first blocks take tiles of the input.
template <typename InputTile, typename WeightTile>
__global__ void __launch_bounds__(InputTile::threads)
    operands_to_channels_last_kernel(Turned input, Turned weight, unsigned input_blocks) {
  __shared__ float tile[InputTile::floats > WeightTile::floats ? InputTile::floats : WeightTile::floats];
  if (blockIdx.x < input_blocks) {
    turn_to_channels_last<InputTile>(input.source, input.destination, input.images, blockIdx.x, tile);
  } else {
    turn_to_channels_last<WeightTile>(weight.source, weight.destination, weight.images, blockIdx.x - input_blocks,
                                      tile);
  }
}

// Elements of channels-last images, each handed to `finish` at its own place: neighbouring threads have neighbouring
// pixels of one channel.
template <typename Tile, typename Finish>
__global__ void __launch_bounds__(Tile::threads)
    from_channels_last_kernel(const float* source, Finish finish, Images images) {
  __shared__ float tile[Tile::floats];
  const Place place = place_of<Tile>(images, blockIdx.x);
  TileRows<Tile, false>{tile}.fill(
      source + (place.image * images.pixels + place.first_pixel) * images.channels + place.first_channel,
      last_side<Tile>(images, place));
  __syncthreads();
  const TileSide side = first_side<Tile>(images, place);
  const TileRows<Tile, true> pixels{tile};
  if constexpr (requires(Lanes<float, kTurnLanes> values) { finish.template lanes<kTurnLanes>(0, 0, 0, values); }) {
    if (side.wide) {
      pixels.for_each_group(side, [&](int pixel, int channel, const Lanes<float, kTurnLanes>& values) {
        finish.template lanes<kTurnLanes>(place.image, place.first_channel + channel, place.first_pixel + pixel,
                                          values);
      });
      return;
    }
  }
  pixels.for_each(side, [&](int pixel, int channel, float value) {
    finish(place.image, place.first_channel + channel, place.first_pixel + pixel, value);
  });
}

template <typename Tile>
struct Launch {
  Images images;
  unsigned blocks;

  // `first` and `last` are where the images lie in either order, null where a functor decides.
  Launch(int64_t count, int64_t channels, int64_t pixels, const float* first, const float* last) {
    const int64_t channel_tiles = ceil_divide(channels, Tile::channels);
    const int64_t pixel_tiles = ceil_divide(pixels, Tile::pixels);
    images = {channels,
              pixels,
              Divider(channel_tiles),
              Divider(pixel_tiles),
              pixels % kTurnLanes == 0 && lanes_aligned(first),
              channels % kTurnLanes == 0 && lanes_aligned(last)};
    blocks = static_cast<unsigned>(count * channel_tiles * pixel_tiles);
  }
};

}  // namespace turn_detail

// Images of channels x pixels, contiguous, to pixels x channels.
struct TurnedOperand {
  const float* source;
  float* destination;
  int64_t count;
  int64_t channels;
  int64_t pixels;
};

namespace turn_detail {

template <typename Tile>
Launch<Tile> launch_of(const TurnedOperand& operand) {
  return {operand.count, operand.channels, operand.pixels, operand.source, operand.destination};
}

}  // namespace turn_detail

template <typename Tile>
cudaError_t launch_to_channels_last(const TurnedOperand& operand, cudaStream_t stream) {
  const auto launch = turn_detail::launch_of<Tile>(operand);
  turn_detail::to_channels_last_kernel<Tile><<<launch.blocks, Tile::threads, 0, stream>>>(
      turn_detail::Turned{operand.source, operand.destination, launch.images});
  return cudaGetLastError();
}

// Two in one launch.
template <typename InputTile, typename WeightTile>
cudaError_t launch_to_channels_last(const TurnedOperand& input, const TurnedOperand& weight, cudaStream_t stream) {
  const auto of_input = turn_detail::launch_of<InputTile>(input);
  const auto of_weight = turn_detail::launch_of<WeightTile>(weight);
  const turn_detail::Turned first{input.source, input.destination, of_input.images};
  const turn_detail::Turned second{weight.source, weight.destination, of_weight.images};
  turn_detail::operands_to_channels_last_kernel<InputTile, WeightTile>
      <<<of_input.blocks + of_weight.blocks, InputTile::threads, 0, stream>>>(first, second, of_input.blocks);
  return cudaGetLastError();
}

// `count` images of pixels x channels, contiguous, through `finish`, whose lanes are called where `vectorised` says
// that they may be at every fourth pixel.
template <typename Tile, typename Finish>
cudaError_t launch_from_channels_last(const float* source, const Finish& finish, bool vectorised, int64_t count,
                                      int64_t channels, int64_t pixels, cudaStream_t stream) {
  turn_detail::Launch<Tile> launch(count, channels, pixels, nullptr, source);
  launch.images.wide_first = launch.images.wide_first && vectorised;
  turn_detail::from_channels_last_kernel<Tile>
      <<<launch.blocks, Tile::threads, 0, stream>>>(source, finish, launch.images);
  return cudaGetLastError();
}

namespace turn_detail {

struct StoreChannelsFirst {
  float* destination;
  int64_t channels;
  int64_t pixels;

  __device__ __forceinline__ float* at(int64_t image, int64_t channel, int64_t pixel) const {
    return destination + (image * channels + channel) * pixels + pixel;
  }
  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t pixel, float value) const {
    *at(image, channel, pixel) = value;
  }
  template <int kLanes>
  __device__ __forceinline__ void lanes(int64_t image, int64_t channel, int64_t pixel,
                                        const Lanes<float, kLanes>& values) const {
    store_global_lanes(at(image, channel, pixel), values);
  }
};

}  // namespace turn_detail

// Images of pixels x channels, contiguous, to channels x pixels.
template <typename Tile>
cudaError_t launch_to_channels_first(const TurnedOperand& operand, cudaStream_t stream) {
  const turn_detail::StoreChannelsFirst store{operand.destination, operand.channels, operand.pixels};
  return launch_from_channels_last<Tile>(operand.source, store, lanes_aligned(operand.destination), operand.count,
                                         operand.channels, operand.pixels, stream);
}

// An epilogue of our own kernels, which name a pixel by its axes, that hands each to `finish`.
template <typename Finish>
struct PixelEpilogue {
  Finish finish;
  int64_t height;
  int64_t width;

  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t y, int64_t x, float value) const {
    finish(image, channel, y * width + x, value);
  }
  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t z, int64_t y, int64_t x,
                                             float value) const {
    finish(image, channel, (z * height + y) * width + x, value);
  }
};

}  // namespace stitch
