// SPDX-License-Identifier: Apache-2.0
// Images with channels first, turned to channels last and back through shared memory, tile by tile: 16 elements of each
// thread are under way at a time, and both sides are accessed in the order in which they lie.
#pragma once

#include "kernels/conv/shape.cuh"

namespace stitch {

// Pixels and channels that a block turns at a time. Few channels leave room for more pixels.
template <int kPixels, int kChannels>
struct TurnTile {
  static constexpr int pixels = kPixels;
  static constexpr int channels = kChannels;
  static constexpr int pitch = kChannels + 1;  // odd: neither side meets a bank twice
  static constexpr int threads = 256;
  static constexpr int steps = kPixels * kChannels / threads;
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
__device__ __forceinline__ Place place_of(const Images& images) {
  const QuotientRemainder across = images.channel_tiles.divide(blockIdx.x);
  const QuotientRemainder down = images.pixel_tiles.divide(across.quotient);
  return {down.quotient, down.remainder * Tile::pixels, across.remainder * Tile::channels};
}

template <typename Tile>
__global__ void __launch_bounds__(Tile::threads)
    to_channels_last_kernel(const float* source, float* destination, Images images) {
  __shared__ float tile[Tile::pixels * Tile::pitch];
  const Place place = place_of<Tile>(images);
  const int64_t start = place.image * images.channels * images.pixels;
  const auto pixels = static_cast<int>(
      images.pixels - place.first_pixel < Tile::pixels ? images.pixels - place.first_pixel : int64_t{Tile::pixels});
  const auto channels =
      static_cast<int>(images.channels - place.first_channel < Tile::channels ? images.channels - place.first_channel
                                                                              : int64_t{Tile::channels});
  const float* from = source + start + place.first_channel * images.pixels + place.first_pixel;
  float held[Tile::steps];
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int linear = step * Tile::threads + static_cast<int>(threadIdx.x);
    const int pixel = linear % Tile::pixels;
    const int channel = linear / Tile::pixels;
    held[step] = pixel < pixels && channel < channels ? from[channel * images.pixels + pixel] : 0.0f;
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
    if (pixel < pixels && channel < channels) {
      to[pixel * images.channels + channel] = tile[pixel * Tile::pitch + channel];
    }
  }
}

// Elements of channels-last images, each handed to the epilogue at its own place: neighbouring threads have
// neighbouring pixels of one channel.
template <typename Tile, int kRank, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads)
    from_channels_last_kernel(const float* source, Epilogue epilogue, OutPixels out, Images images) {
  __shared__ float tile[Tile::pixels * Tile::pitch];
  const Place place = place_of<Tile>(images);
  const auto pixels = static_cast<int>(
      images.pixels - place.first_pixel < Tile::pixels ? images.pixels - place.first_pixel : int64_t{Tile::pixels});
  const auto channels =
      static_cast<int>(images.channels - place.first_channel < Tile::channels ? images.channels - place.first_channel
                                                                              : int64_t{Tile::channels});
  const float* from =
      source + (place.image * images.pixels + place.first_pixel) * images.channels + place.first_channel;
  float held[Tile::steps];
#pragma unroll
  for (int step = 0; step < Tile::steps; ++step) {
    const int linear = step * Tile::threads + static_cast<int>(threadIdx.x);
    const int pixel = linear / Tile::channels;
    const int channel = linear % Tile::channels;
    held[step] = pixel < pixels && channel < channels ? from[pixel * images.channels + channel] : 0.0f;
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
    if (pixel >= pixels) {
      break;
    }
    const PixelPlace at = out.template place<kRank>(place.image, place.first_pixel + pixel);
#pragma unroll
    for (int channel = static_cast<int>(threadIdx.x) / Tile::pixels; channel < Tile::channels;
         channel += kThreadsOfPixel) {
      if (channel < channels) {
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

// `count` images of channels x pixels, contiguous, to pixels x channels.
template <typename Tile>
cudaError_t launch_to_channels_last(const float* source, float* destination, int64_t count, int64_t channels,
                                    int64_t pixels, cudaStream_t stream) {
  const turn_detail::Launch<Tile> launch(count, channels, pixels);
  turn_detail::to_channels_last_kernel<Tile>
      <<<launch.blocks, Tile::threads, 0, stream>>>(source, destination, launch.images);
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

}  // namespace stitch
