// SPDX-License-Identifier: Apache-2.0
// Direct convolution on the tensor cores (direct_mma.cuh) of whose outputs only the mean of each plane is kept: a warp
// adds up its 32 neighbouring pixels of each of 32 channels where the tensor cores leave them, and a second launch adds
// these parts.
//
// element and store: as direct_pool.cuh has them.
#pragma once

#include "kernels/conv/direct_mma.cuh"
#include "kernels/conv/direct_pool.cuh"

namespace stitch {

namespace direct_mma_detail {

// The sum of each warp's row of pixels, all parts of a plane behind each other.
template <typename Element>
struct SumRows {
  Element element;
  float* parts;
  int64_t across;  // parts beside each other; below each other there is one for each row
};

// What is added up of the output `x` of this warp's row.
template <int kRank, typename Element>
__device__ __forceinline__ float element_of_row(const Element& element, const Place& place, int x, int channel,
                                                float sum) {
  return direct_detail::element_at<kRank>(element, {place.image, place.z, place.y, x, channel}, channel, place.y, sum);
}

// Four lanes have eight channels' pixels by twos: this lane's channels are `lane / 4` and those eight, 16 and 24
// behind.
template <typename Window, typename Element>
__device__ __forceinline__ float sum_of_channel(const ConvShape& shape, const Element& element, const Place& place,
                                                int first_x, int channel, int eight, const Sums& sums) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float sum = 0;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int x = first_x + j * kColumnsOfTile + lane % 4 * 2 + i;
      if (x < shape.out_width && channel < shape.out_channels) {
        sum += element_of_row<Window::rank>(element, place, x, channel, sums[eight / 2][j][eight % 2 * 2 + i]);
      }
    }
  }
  return direct_detail::joined_columns<MeanOfWindow, 4>(sum);
}

// In the place of finish_warp() of an epilogue. `place`: of this lane's pixel.
template <typename Window, typename Element>
__device__ __forceinline__ void finish_warp(const ConvShape& shape, const Planes& planes, const float* input,
                                            const float* weight, const SumRows<Element>& finish, const Place& place,
                                            int first_channel, const Sums& sums, float*) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_x = place.x - lane;
  if (place.y >= shape.out_height) {  // as all of the warp
    return;
  }
  const int64_t of_plane = shape.out_depth * shape.out_height * finish.across;
  const int64_t part = (place.z * shape.out_height + place.y) * finish.across + first_x / kWarpThreads;
  float* const parts = finish.parts + place.image * shape.out_channels * of_plane + part;
  if (__all_sync(kFullWarp, are_all_finite(sums))) {
#pragma unroll
    for (int eight = 0; eight < 4; ++eight) {
      const int channel = first_channel + eight * 8 + lane / 4;
      const float sum = sum_of_channel<Window>(shape, finish.element, place, first_x, channel, eight, sums);
      if (lane % 4 == 0 && channel < shape.out_channels) {
        parts[channel * of_plane] = sum;
      }
    }
    return;
  }
#pragma unroll 1
  for (int channel = first_channel; channel < first_channel + 32 && channel < shape.out_channels; ++channel) {
    float sum = 0;
    if (place.x < shape.out_width) {
      sum = element_of_row<Window::rank>(finish.element, place, place.x, channel,
                                         sum_again<Window>(shape, planes, input, weight, place, channel));
    }
    sum = direct_detail::joined_columns<MeanOfWindow, kWarpThreads>(sum);
    if (lane == 0) {
      parts[channel * of_plane] = sum;
    }
  }
}

}  // namespace direct_mma_detail

// Sums of whole planes over `divisor`. `scratch` has a float for every row of 32 outputs of a channel, the last of a
// line cut short. Needs shape.groups == 1.
template <typename Tile, typename Window, typename Element, typename Store>
cudaError_t launch_conv_direct_mma_mean(const ConvShape& shape, const float* input, const float* weight,
                                        const Element& element, const Store& store, float divisor, void* scratch,
                                        cudaStream_t stream) {
  const int64_t across = ceil_divide(shape.out_width, Tile::columns);
  auto* parts = static_cast<float*>(scratch);
  const cudaError_t error = launch_conv_direct_mma<Tile, Window>(
      shape, input, weight, direct_mma_detail::SumRows<Element>{element, parts, across}, stream);
  return error != cudaSuccess ? error
                              : direct_detail::launch_mean(shape, parts, shape.out_depth * shape.out_height * across,
                                                           store, divisor, stream);
}

}  // namespace stitch
