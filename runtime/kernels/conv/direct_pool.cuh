// SPDX-License-Identifier: Apache-2.0
// Direct convolution (direct.cuh) whose outputs are pooled before they leave the registers: by windows that lie side by
// side, or as the mean of each plane. A thread has eight outputs below each other and a warp 32 beside each other, so
// that a window lies within the warp where its extents divide these.
//
// element: float operator()(int64_t image, int64_t channel, int64_t y, int64_t x, float sum) const, what is pooled;
// with three axes z comes before y. store: void operator()(int64_t image, int64_t channel, int64_t out_y, int64_t
// out_x, float value) const; of means void operator()(int64_t image, int64_t channel, float value) const.
#pragma once

#include "kernels/common/warp.cuh"
#include "kernels/conv/direct.cuh"
#include "kernels/pool/joins.cuh"

namespace stitch {

namespace direct_detail {

template <int kRank, typename Element>
__device__ __forceinline__ float element_at(const Element& element, const DirectPlace& place, int channel, int y,
                                            float sum) {
  if constexpr (kRank == 3) {
    return element(place.image, channel, place.z, y, place.x, sum);
  } else {
    return element(place.image, channel, y, place.x, sum);
  }
}

// Rows [first, first + kRows) of one channel of this thread, without those that are outside of the output.
template <typename Join, int kRows, typename Tile, typename Window, typename Element>
__device__ __forceinline__ float joined_rows(const Element& element, const ConvShape& shape, const DirectPlace& place,
                                             int channel, int first,
                                             const float (&sums)[Tile::rows_of_thread][Tile::channels_of_thread]) {
  float joined = Join::identity;
#pragma unroll
  for (int row = first; row < first + kRows; ++row) {
    if (place.y + row < shape.out_height && place.x < shape.out_width && place.channel + channel < shape.out_channels) {
      joined = Join::join(
          joined, element_at<Window::rank>(element, place, place.channel + channel, place.y + row, sums[row][channel]));
    }
  }
  return joined;
}

// Over groups of kColumns neighbouring lanes.
template <typename Join, int kColumns>
__device__ __forceinline__ float joined_columns(float joined) {
#pragma unroll
  for (int distance = 1; distance < kColumns; distance *= 2) {
    joined = Join::join(joined, __shfl_xor_sync(kFullWarp, joined, distance));
  }
  return joined;
}

template <typename Join, int kHeight, int kWidth, typename Element, typename Store>
struct PoolPixels {
  Element element;
  Store store;
  int64_t height;  // of the pooled planes
  int64_t width;
  float divisor;

  template <typename Tile, typename Window>
  __device__ __forceinline__ void finish(const ConvShape& shape, const DirectPlace& place,
                                         const float (&sums)[Tile::rows_of_thread][Tile::channels_of_thread]) const {
    static_assert(Tile::rows_of_thread % kHeight == 0 && Tile::columns % kWidth == 0, "a window leaves the warp");
    const int x = place.x / kWidth;
#pragma unroll
    for (int channel = 0; channel < Tile::channels_of_thread; ++channel) {
#pragma unroll
      for (int first = 0; first < Tile::rows_of_thread; first += kHeight) {
        const float joined = joined_columns<Join, kWidth>(
            joined_rows<Join, kHeight, Tile, Window>(element, shape, place, channel, first, sums));
        const int y = (place.y + first) / kHeight;
        if (place.x % kWidth == 0 && y < height && x < width && place.channel + channel < shape.out_channels) {
          store(place.image, place.channel + channel, y, x, Join::finish(joined, divisor));
        }
      }
    }
  }
};

// The sum of each warp's part of a plane, all parts of a plane behind each other.
template <typename Element>
struct SumParts {
  Element element;
  float* parts;
  int64_t down;  // parts below each other, and beside each other
  int64_t across;

  template <typename Tile, typename Window>
  __device__ __forceinline__ void finish(const ConvShape& shape, const DirectPlace& place,
                                         const float (&sums)[Tile::rows_of_thread][Tile::channels_of_thread]) const {
    const int64_t plane = place.image * shape.out_channels + place.channel;
    const int64_t of_plane = shape.out_depth * down * across;
    const int64_t part = (place.z * down + place.y / Tile::rows_of_thread) * across + place.x / Tile::columns;
#pragma unroll
    for (int channel = 0; channel < Tile::channels_of_thread; ++channel) {
      const float joined = joined_columns<MeanOfWindow, Tile::columns>(
          joined_rows<MeanOfWindow, Tile::rows_of_thread, Tile, Window>(element, shape, place, channel, 0, sums));
      if (place.x % Tile::columns == 0 && place.channel + channel < shape.out_channels) {
        parts[(plane + channel) * of_plane + part] = joined;
      }
    }
  }
};

constexpr int kPlanesOfBlock = 8;

// One warp a plane.
template <typename Store>
__global__ void __launch_bounds__(kPlanesOfBlock* kWarpThreads)
    mean_kernel(const float* parts, int64_t of_plane, int64_t planes, Divider channels, float divisor, Store store) {
  const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
  const int64_t plane = int64_t{blockIdx.x} * kPlanesOfBlock + static_cast<int>(threadIdx.x) / kWarpThreads;
  if (plane >= planes) {
    return;
  }
  float sum = 0;
  for (int64_t part = lane; part < of_plane; part += kWarpThreads) {
    sum += parts[plane * of_plane + part];
  }
  sum = joined_columns<MeanOfWindow, kWarpThreads>(sum);
  if (lane == 0) {
    const QuotientRemainder place = channels.divide(plane);
    store(place.quotient, place.remainder, sum / divisor);
  }
}

// Adds up the parts of each plane.
template <typename Store>
cudaError_t launch_mean(const ConvShape& shape, const float* parts, int64_t of_plane, const Store& store, float divisor,
                        cudaStream_t stream) {
  const int64_t planes = shape.batch * shape.out_channels;
  if (planes == 0) {
    return cudaSuccess;
  }
  mean_kernel<<<static_cast<unsigned>(ceil_divide(planes, kPlanesOfBlock)), kPlanesOfBlock * kWarpThreads, 0, stream>>>(
      parts, of_plane, planes, Divider(shape.out_channels), divisor, store);
  return cudaGetLastError();
}

}  // namespace direct_detail

// Windows of kHeight x kWidth side by side, of which `height` x `width` lie within the output. Needs shape.groups == 1.
template <typename Tile, typename Window, typename Join, int kHeight, int kWidth, typename Element, typename Store>
cudaError_t launch_conv_direct_pool(const ConvShape& shape, const float* input, const float* weight,
                                    const Element& element, const Store& store, int64_t height, int64_t width,
                                    float divisor, cudaStream_t stream) {
  const direct_detail::PoolPixels<Join, kHeight, kWidth, Element, Store> finish{element, store, height, width, divisor};
  return direct_detail::launch<Tile, Window>(shape, input, weight, finish, stream);
}

// Sums of whole planes over `divisor`. `scratch` has a float for every 8 x 32 outputs of a channel, rounded up to whole
// tiles. Needs shape.groups == 1.
template <typename Tile, typename Window, typename Element, typename Store>
cudaError_t launch_conv_direct_mean(const ConvShape& shape, const float* input, const float* weight,
                                    const Element& element, const Store& store, float divisor, void* scratch,
                                    cudaStream_t stream) {
  const direct_detail::DirectTiles<Tile> tiles(shape);
  const int64_t down = tiles.down * (Tile::rows / Tile::rows_of_thread);
  auto* parts = static_cast<float*>(scratch);
  const cudaError_t error = direct_detail::launch<Tile, Window>(
      shape, input, weight, direct_detail::SumParts<Element>{element, parts, down, tiles.across}, stream);
  return error != cudaSuccess
             ? error
             : direct_detail::launch_mean(shape, parts, shape.out_depth * down * tiles.across, store, divisor, stream);
}

}  // namespace stitch
