// SPDX-License-Identifier: Apache-2.0
// Direct convolution on the ordinary pipes, exact in fp32: for few input channels, where gathering windows into the
// tiles of a product costs more than the product. A block takes a patch of the input and its channels' weights into
// shared memory, the next input channels while it computes with the last; a thread sums up eight outputs, one below the
// other, for each of eight output channels. What it loads serves all taps of a column and all eight channels, and a
// warp's outputs lie side by side.
#pragma once

#include "kernels/conv/depthwise_rows.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Output channels of a block; its warps, eight or fewer, share them by eights, and lie one below the other beyond.
template <int kChannels, int kThreads = 256>
struct DirectTile {
  static constexpr int threads = kThreads;
  static constexpr int blocks_of_multiprocessor = 512 / kThreads;
  static constexpr int columns = 32;  // a warp's
  static constexpr int rows_of_thread = 8;
  static constexpr int channels_of_thread = 8;
  static constexpr int channels = kChannels;
  static constexpr int warps = threads / columns;
  static constexpr int warps_of_channels = kChannels / channels_of_thread;
  static_assert(warps % warps_of_channels == 0);
  static constexpr int rows = rows_of_thread * warps / warps_of_channels;
};

namespace direct_detail {

template <typename Tile, typename Window>
struct Patch {
  static constexpr int rows = depthwise_detail::kRowsUnder<Window, Tile::rows>;
  static constexpr int width = (Tile::columns - 1) * Window::stride_x + (Window::kernel_x - 1) * Window::dilation_x + 1;
  static constexpr int elements = Window::kernel_z * rows * width;  // of one input channel
  // Eight lanes that write neighbouring taps meet no bank twice, and four channels are still one access.
  static constexpr int pitch = Tile::channels + 4;
  static constexpr int taps = Window::taps * pitch;
  static constexpr int shared_floats = 12032;
  static constexpr int stages = 2;
  static constexpr int fitting = shared_floats / (stages * (elements + taps));
  static_assert(fitting > 0, "one input channel has no room");
  static constexpr int input_channels = fitting < 2 ? fitting : 2;  // of a stage
};

// The first output of a block.
struct DirectPlace {
  int64_t image;
  int z;
  int y;
  int x;
  int channel;
};

template <typename Tile, typename Window>
__device__ __forceinline__ void load_patch(const Planes& planes, const float* input, const DirectPlace& place,
                                           int channels, float* patch) {
  using Source = Patch<Tile, Window>;
  const int first_z = place.z * Window::stride_z - Window::padding_z;
  const int first_y = place.y * Window::stride_y - Window::padding_y;
  const int first_x = place.x * Window::stride_x - Window::padding_x;
  for (int i = static_cast<int>(threadIdx.x); i < channels * Source::elements; i += Tile::threads) {
    const int line = i / Source::width;
    const int plane = line / Source::rows;
    const int x = first_x + i % Source::width;
    const int y = first_y + line % Source::rows;
    const int z = first_z + plane % Window::kernel_z * Window::dilation_z;
    const bool is_inside = static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth) &&
                           static_cast<unsigned>(y) < static_cast<unsigned>(planes.height) &&
                           static_cast<unsigned>(x) < static_cast<unsigned>(planes.width);
    const int64_t channel = plane / Window::kernel_z;
    ptx::cp_async_4_or_zero(
        patch + i, is_inside ? input + channel * planes.plane_stride + planes.offset(z, y, x) : input, is_inside);
  }
}

// `weight`: of the first input channel and of output channel 0. Output channels that are not there weigh nothing.
template <typename Tile, typename Window>
__device__ __forceinline__ void load_taps(const ConvShape& shape, const float* weight, int first_channel, int channels,
                                          float* taps) {
  using Source = Patch<Tile, Window>;
  const int lane = static_cast<int>(threadIdx.x) % Tile::columns;
  const int warp = static_cast<int>(threadIdx.x) / Tile::columns;
  const int64_t taps_of_channel = shape.in_channels * Window::taps;
  const auto there = static_cast<int>(shape.out_channels) - first_channel;
  for (int tap = lane; tap < channels * Window::taps; tap += Tile::columns) {
    const float* source = weight + (first_channel + warp) * taps_of_channel + tap;
#pragma unroll
    for (int channel = warp; channel < Tile::channels; channel += Tile::warps) {
      const bool is_there = channel < there;
      ptx::cp_async_4_or_zero(taps + tap * Source::pitch + channel, is_there ? source : weight, is_there);
      source += Tile::warps * taps_of_channel;
    }
  }
}

// One plane of the patch, one column of taps. `column`: the element under this thread's first output and that column.
template <typename Tile, typename Window>
__device__ __forceinline__ void add_column(const float* column, const float* taps,
                                           float (&sums)[Tile::rows_of_thread][Tile::channels_of_thread]) {
  using Source = Patch<Tile, Window>;
  constexpr int kRowsUnderThread = depthwise_detail::kRowsUnder<Window, Tile::rows_of_thread>;
  float elements[kRowsUnderThread];
#pragma unroll
  for (int row = 0; row < kRowsUnderThread; ++row) {
    elements[row] = column[row * Source::width];
  }
#pragma unroll
  for (int ky = 0; ky < Window::kernel_y; ++ky) {
    float weights[Tile::channels_of_thread];
#pragma unroll
    for (int i = 0; i < Tile::channels_of_thread; i += 4) {
      const float4 four = *reinterpret_cast<const float4*>(taps + ky * Window::kernel_x * Source::pitch + i);
      weights[i] = four.x;
      weights[i + 1] = four.y;
      weights[i + 2] = four.z;
      weights[i + 3] = four.w;
    }
#pragma unroll
    for (int row = 0; row < Tile::rows_of_thread; ++row) {
#pragma unroll
      for (int channel = 0; channel < Tile::channels_of_thread; ++channel) {
        sums[row][channel] =
            fmaf(elements[row * Window::stride_y + ky * Window::dilation_y], weights[channel], sums[row][channel]);
      }
    }
  }
}

template <typename Tile, typename Window>
__device__ __forceinline__ void add_channels(const float* patch, const float* taps, int channels,
                                             float (&sums)[Tile::rows_of_thread][Tile::channels_of_thread]) {
  using Source = Patch<Tile, Window>;
  constexpr int kPlane = Source::rows * Source::width;
  constexpr int kTapsOfPlane = Window::kernel_y * Window::kernel_x * Source::pitch;
#pragma unroll 1
  for (int plane = 0; plane < channels * Window::kernel_z; ++plane) {
#pragma unroll
    for (int kx = 0; kx < Window::kernel_x; ++kx) {
      add_column<Tile, Window>(patch + plane * kPlane + kx * Window::dilation_x,
                               taps + plane * kTapsOfPlane + kx * Source::pitch, sums);
    }
  }
}

// What becomes of a thread's sums: each goes to the epilogue.
template <typename Epilogue>
struct StorePixels {
  Epilogue epilogue;

  template <typename Tile, typename Window>
  __device__ __forceinline__ void finish(const ConvShape& shape, const DirectPlace& place,
                                         const float (&sums)[Tile::rows_of_thread][Tile::channels_of_thread]) const {
#pragma unroll
    for (int row = 0; row < Tile::rows_of_thread; ++row) {
#pragma unroll
      for (int channel = 0; channel < Tile::channels_of_thread; ++channel) {
        if (place.y + row < shape.out_height && place.x < shape.out_width &&
            place.channel + channel < shape.out_channels) {
          finish_pixel<Window::rank>(epilogue, {place.image, place.z, place.y + row, place.x}, place.channel + channel,
                                     sums[row][channel]);
        }
      }
    }
  }
};

// `tiles` numbers the tiles of an output channel; blockIdx.y counts blocks of channels.
template <typename Tile, typename Window, typename Finish>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks_of_multiprocessor)
    direct_kernel(ConvShape shape, const float* input, const float* weight, Finish finish, Planes planes,
                  PixelIndex<Window::rank> tiles) {
  using Source = Patch<Tile, Window>;
  __shared__ __align__(16) float taps[Source::stages][Source::input_channels * Source::taps];
  __shared__ float patch[Source::stages][Source::input_channels * Source::elements];
  const PixelPlace tile = tiles.place(blockIdx.x);
  DirectPlace place{tile.n, static_cast<int>(tile.z), static_cast<int>(tile.y) * Tile::rows,
                    static_cast<int>(tile.x) * Tile::columns, static_cast<int>(blockIdx.y) * Tile::channels};
  const int column = static_cast<int>(threadIdx.x) % Tile::columns;
  const int warp = static_cast<int>(threadIdx.x) / Tile::columns;
  const int row = warp / Tile::warps_of_channels * Tile::rows_of_thread;
  const int channel = warp % Tile::warps_of_channels * Tile::channels_of_thread;
  const int start = row * Window::stride_y * Source::width + column * Window::stride_x;  // of the patch
  const float* const image = input + place.image * shape.in_channels * planes.plane_stride;
  float sums[Tile::rows_of_thread][Tile::channels_of_thread] = {};
  const auto in_channels = static_cast<int>(shape.in_channels);
  const auto channels_from = [&](int first) {
    return in_channels - first < Source::input_channels ? in_channels - first : Source::input_channels;
  };
  const auto load = [&](int first, int stage) {
    if (first < in_channels) {
      load_patch<Tile, Window>(planes, image + first * planes.plane_stride, place, channels_from(first), patch[stage]);
      load_taps<Tile, Window>(shape, weight + first * Window::taps, place.channel, channels_from(first), taps[stage]);
    }
    ptx::cp_async_commit();
  };
  load(0, 0);
  for (int first = 0, stage = 0; first < in_channels; first += Source::input_channels, stage = 1 - stage) {
    load(first + Source::input_channels, 1 - stage);
    ptx::cp_async_wait<1>();
    __syncthreads();
    add_channels<Tile, Window>(patch[stage] + start, taps[stage] + channel, channels_from(first), sums);
    __syncthreads();  // all have read what is written over
  }
  place.x += column;
  place.y += row;
  place.channel += channel;
  finish.template finish<Tile, Window>(shape, place, sums);
}

// Blocks of the first grid axis, down and across the output of an image.
template <typename Tile>
struct DirectTiles {
  int64_t down;
  int64_t across;

  explicit DirectTiles(const ConvShape& shape)
      : down(ceil_divide(shape.out_height, Tile::rows)), across(ceil_divide(shape.out_width, Tile::columns)) {}
};

template <typename Tile, typename Window, typename Finish>
cudaError_t launch(const ConvShape& shape, const float* input, const float* weight, const Finish& finish,
                   cudaStream_t stream) {
  if (shape.groups != 1) {
    return cudaErrorInvalidValue;
  }
  const DirectTiles<Tile> tiles(shape);
  const int64_t count = shape.batch * shape.out_depth * tiles.down * tiles.across;
  if (count == 0 || shape.out_channels == 0) {
    return cudaSuccess;
  }
  const dim3 blocks(static_cast<unsigned>(count),
                    static_cast<unsigned>(ceil_divide(shape.out_channels, Tile::channels)));
  direct_kernel<Tile, Window, Finish>
      <<<blocks, Tile::threads, 0, stream>>>(shape, input, weight, finish, input_planes(shape),
                                             PixelIndex<Window::rank>(shape.out_depth, tiles.down, tiles.across));
  return cudaGetLastError();
}

}  // namespace direct_detail

// Needs shape.groups == 1.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_direct(const ConvShape& shape, const float* input, const float* weight,
                               const Epilogue& epilogue, cudaStream_t stream) {
  return direct_detail::launch<Tile, Window>(shape, input, weight, direct_detail::StorePixels<Epilogue>{epilogue},
                                             stream);
}

}  // namespace stitch
