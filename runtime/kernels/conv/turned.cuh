// SPDX-License-Identifier: Apache-2.0
// Images with channels first, turned to channels last and back through shared memory, tile by tile: 16 elements of each
// thread are under way at a time, and both sides are accessed in the order in which they lie.
#pragma once

#include "kernels/conv/shape.cuh"
#include "stitch/step.h"

namespace stitch {

// Pixels and channels that a block turns at a time. Few channels leave room for more pixels.
template <int kPixels, int kChannels>
struct TurnTile {
  static constexpr int pixels = kPixels;
  static constexpr int channels = kChannels;
  static constexpr int pitch = kChannels + 1;  // odd: neither side meets a bank twice
  static constexpr int threads = 256;
  static constexpr int steps = kPixels * kChannels / threads;
  static_assert(kPixels * kChannels % threads == 0, "every thread turns as many elements as the others, at least one");
};

// An output pixel from its place among those of its image. z is 0 where there is no such axis.
struct OutPixels {
  Divider height;
  Divider width;
  template <int kRank>
  __device__ __forceinline__ PixelPlace place(int64_t image, int64_t pixel) const {
    const QuotientRemainder row = width.divide(pixel);
    if constexpr (kRank == 2) {
      return {image, 0, row.quotient, row.remainder};
    } else {
      const QuotientRemainder plane = height.divide(row.quotient);
      return {image, plane.quotient, plane.remainder, row.remainder};
    }
  }
};

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

// What of a tile lies inside the image.
struct Inside {
  int pixels;
  int channels;
};

template <typename Tile>
__device__ __forceinline__ Inside inside_of(const Images& images, const Place& place) {
  const int64_t pixels = images.pixels - place.first_pixel;
  const int64_t channels = images.channels - place.first_channel;
  return {pixels < Tile::pixels ? static_cast<int>(pixels) : Tile::pixels,
          channels < Tile::channels ? static_cast<int>(channels) : Tile::channels};
}

template <typename Tile>
__device__ __forceinline__ void turn_to_channels_last(const float* source, float* destination, const Images& images,
                                                      int64_t block, float* tile) {
  const Place place = place_of<Tile>(images, block);
  const Inside inside = inside_of<Tile>(images, place);
  const int64_t start = place.image * images.channels * images.pixels;
  const float* from = source + start + place.first_channel * images.pixels + place.first_pixel;
  float held[Tile::steps];
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int linear = step * Tile::threads + static_cast<int>(threadIdx.x);
    const int pixel = linear % Tile::pixels;
    const int channel = linear / Tile::pixels;
    held[step] = pixel < inside.pixels && channel < inside.channels ? from[channel * images.pixels + pixel] : 0.0f;
  }
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int linear = step * Tile::threads + static_cast<int>(threadIdx.x);
    tile[linear % Tile::pixels * Tile::pitch + linear / Tile::pixels] = held[step];
  }
  __syncthreads();
  float* to = destination + start + place.first_pixel * images.channels + place.first_channel;
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int linear = step * Tile::threads + static_cast<int>(threadIdx.x);
    const int pixel = linear / Tile::channels;
    const int channel = linear % Tile::channels;
    if (pixel < inside.pixels && channel < inside.channels) {
      to[pixel * images.channels + channel] = tile[pixel * Tile::pitch + channel];
    }
  }
}

struct Turned {
  const float* source;
  float* destination;
  Images images;
};

template <typename Tile>
__global__ void __launch_bounds__(Tile::threads) to_channels_last_kernel(Turned operand) {
  __shared__ float tile[Tile::pixels * Tile::pitch];
  turn_to_channels_last<Tile>(operand.source, operand.destination, operand.images, blockIdx.x, tile);
}

// One launch turns an input and a weight: the first blocks take tiles of the input.
template <typename InputTile, typename WeightTile>
__global__ void __launch_bounds__(InputTile::threads)
    operands_to_channels_last_kernel(Turned input, Turned weight, unsigned input_blocks) {
  constexpr int kInputFloats = InputTile::pixels * InputTile::pitch;
  constexpr int kWeightFloats = WeightTile::pixels * WeightTile::pitch;
  __shared__ float tile[kInputFloats > kWeightFloats ? kInputFloats : kWeightFloats];
  if (blockIdx.x < input_blocks) {
    turn_to_channels_last<InputTile>(input.source, input.destination, input.images, blockIdx.x, tile);
  } else {
    turn_to_channels_last<WeightTile>(weight.source, weight.destination, weight.images, blockIdx.x - input_blocks,
                                      tile);
  }
}

// Elements of channels-last images, each handed to the epilogue at its own place: neighbouring threads have
// neighbouring pixels of one channel.
template <typename Tile, int kRank, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads)
    from_channels_last_kernel(const float* source, Epilogue epilogue, OutPixels out, Images images) {
  __shared__ float tile[Tile::pixels * Tile::pitch];
  const Place place = place_of<Tile>(images, blockIdx.x);
  const Inside inside = inside_of<Tile>(images, place);
  const float* from =
      source + (place.image * images.pixels + place.first_pixel) * images.channels + place.first_channel;
  float held[Tile::steps];
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int linear = step * Tile::threads + static_cast<int>(threadIdx.x);
    const int pixel = linear / Tile::channels;
    const int channel = linear % Tile::channels;
    held[step] = pixel < inside.pixels && channel < inside.channels ? from[pixel * images.channels + channel] : 0.0f;
  }
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int linear = step * Tile::threads + static_cast<int>(threadIdx.x);
    tile[linear / Tile::channels * Tile::pitch + linear % Tile::channels] = held[step];
  }
  __syncthreads();
  // Threads that stay with one pixel, or with the same few, find its place once.
  constexpr int kPixelsOfThread = Tile::pixels > Tile::threads ? Tile::pixels / Tile::threads : 1;
  constexpr int kThreadsOfPixel = Tile::pixels > Tile::threads ? 1 : Tile::threads / Tile::pixels;
#pragma unroll
  for (int mine = 0; mine < kPixelsOfThread; ++mine) {
    const int pixel = static_cast<int>(threadIdx.x) % Tile::pixels + mine * Tile::threads;
    if (pixel >= inside.pixels) {
      break;
    }
    const PixelPlace at = out.template place<kRank>(place.image, place.first_pixel + pixel);
#pragma unroll
    for (int channel = static_cast<int>(threadIdx.x) / Tile::pixels; channel < Tile::channels;
         channel += kThreadsOfPixel) {
      if (channel < inside.channels) {
        finish_pixel<kRank>(epilogue, at, place.first_channel + channel, tile[pixel * Tile::pitch + channel]);
      }
    }
  }
}

template <typename Tile>
struct Launch {
  Images images;
  unsigned blocks;

  Launch(int64_t count, int64_t channels, int64_t pixels) {
    const int64_t channel_tiles = ceil_divide(channels, Tile::channels);
    const int64_t pixel_tiles = ceil_divide(pixels, Tile::pixels);
    images = {channels, pixels, Divider(channel_tiles), Divider(pixel_tiles)};
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

template <typename Tile>
cudaError_t launch_to_channels_last(const TurnedOperand& operand, cudaStream_t stream) {
  const turn_detail::Launch<Tile> launch(operand.count, operand.channels, operand.pixels);
  turn_detail::to_channels_last_kernel<Tile><<<launch.blocks, Tile::threads, 0, stream>>>(
      turn_detail::Turned{operand.source, operand.destination, launch.images});
  return cudaGetLastError();
}

// Two in one launch.
template <typename InputTile, typename WeightTile>
cudaError_t launch_to_channels_last(const TurnedOperand& input, const TurnedOperand& weight, cudaStream_t stream) {
  const turn_detail::Launch<InputTile> of_input(input.count, input.channels, input.pixels);
  const turn_detail::Launch<WeightTile> of_weight(weight.count, weight.channels, weight.pixels);
  const turn_detail::Turned first{input.source, input.destination, of_input.images};
  const turn_detail::Turned second{weight.source, weight.destination, of_weight.images};
  turn_detail::operands_to_channels_last_kernel<InputTile, WeightTile>
      <<<of_input.blocks + of_weight.blocks, InputTile::threads, 0, stream>>>(first, second, of_input.blocks);
  return cudaGetLastError();
}

// `count` images of pixels x channels, contiguous, through the epilogue.
template <typename Tile, int kRank, typename Epilogue>
cudaError_t launch_from_channels_last(const float* source, const Epilogue& epilogue, const OutPixels& out,
                                      int64_t count, int64_t channels, int64_t pixels, cudaStream_t stream) {
  const turn_detail::Launch<Tile> launch(count, channels, pixels);
  turn_detail::from_channels_last_kernel<Tile, kRank>
      <<<launch.blocks, Tile::threads, 0, stream>>>(source, epilogue, out, launch.images);
  return cudaGetLastError();
}

namespace turn_detail {

// Writes images whose pixels are one row.
struct StoreChannelsFirst {
  float* destination;
  int64_t channels;
  int64_t pixels;
  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t, int64_t pixel,
                                             float value) const {
    destination[(image * channels + channel) * pixels + pixel] = value;
  }
};

}  // namespace turn_detail

// Images of pixels x channels, contiguous, to channels x pixels.
template <typename Tile>
cudaError_t launch_to_channels_first(const TurnedOperand& operand, cudaStream_t stream) {
  const turn_detail::StoreChannelsFirst store{operand.destination, operand.channels, operand.pixels};
  const OutPixels pixels{Divider(1), Divider(operand.pixels)};
  return launch_from_channels_last<Tile, 2>(operand.source, store, pixels, operand.count, operand.channels,
                                            operand.pixels, stream);
}

}  // namespace stitch
