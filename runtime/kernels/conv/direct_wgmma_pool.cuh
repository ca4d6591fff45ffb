// SPDX-License-Identifier: Apache-2.0
// Direct convolution by wgmma (direct_wgmma.cuh) of whose outputs only the mean of each plane is kept: a block adds up
// what it has of a plane, and a second launch adds these parts.
//
// element and store: as direct_pool.cuh has them.
#pragma once

#include "kernels/conv/direct_pool.cuh"
#include "kernels/conv/direct_wgmma.cuh"

namespace stitch {

namespace direct_wgmma_detail {

// The sum of each block's pixels of a channel, all parts of a plane behind each other.
template <typename Tile, typename Element>
struct SumPixels {
  struct State {
    float sums[Tile::sums / 2];  // of this lane's channels
  };

  Element element;
  float* parts;
  int64_t of_plane;

  __device__ __forceinline__ bool takes_pairs() const { return true; }
  __device__ __forceinline__ void take(State& state, int i, const Place& place, int channel, float sum) const {
    state.sums[i] += element(place.image, channel, place.y, place.x, sum);
  }
  __device__ __forceinline__ void take_pair(State& state, int i, const Place& place, int channel, float first,
                                            float second) const {
    state.sums[i] += element(place.image, channel, place.y, place.x, first) +
                     element(place.image, channel, place.y, place.x + 1, second);
  }

  // `shared`: room for each warp's sums, where others may still read.
  __device__ __forceinline__ void flush(const State& state, const ConvShape& shape, int64_t image, int block,
                                        int first_channel, float* shared) const {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Tile::sums / 2; ++i) {
      float sum = state.sums[i];
#pragma unroll
      for (int distance = 4; distance < 32; distance *= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
      }
      if (lane < 4) {
        shared[warp * Tile::channels + i / 2 * 8 + lane * 2 + i % 2] = sum;
      }
    }
    __syncthreads();
    const int channel = static_cast<int>(threadIdx.x);
    if (channel < Tile::channels && first_channel + channel < shape.out_channels) {
      float sum = 0;
#pragma unroll
      for (int i = 0; i < kWarps; ++i) {
        sum += shared[i * Tile::channels + channel];
      }
      parts[(image * shape.out_channels + first_channel + channel) * of_plane + block] = sum;
    }
  }
};

}  // namespace direct_wgmma_detail

// Sums of whole planes over `divisor`. `scratch` has a float for every row of 32 outputs of a channel, the last of a
// line cut short, which is more than is needed. Needs what launch_conv_direct_wgmma() needs.
template <typename Tile, typename Window, typename Element, typename Store>
cudaError_t launch_conv_direct_wgmma_mean(const ConvShape& shape, const float* input, const float* weight,
                                          const Element& element, const Store& store, float divisor, void* scratch,
                                          cudaStream_t stream) {
  const direct_wgmma_detail::Patches patches = direct_wgmma_detail::patches_of(shape);
  auto* parts = static_cast<float*>(scratch);
  const cudaError_t error = direct_wgmma_detail::launch<Tile, Window>(
      shape, input, weight, direct_wgmma_detail::SumPixels<Tile, Element>{element, parts, patches.blocks}, patches,
      stream);
  return error != cudaSuccess ? error
                              : direct_detail::launch_mean(shape, parts, patches.blocks, store, divisor, stream);
}

}  // namespace stitch
