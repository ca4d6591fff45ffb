// SPDX-License-Identifier: Apache-2.0
// Direct convolution by wgmma from patches of whole rows (direct_rows.cuh) of whose outputs only the sum or mean of
// each plane is kept: a warpgroup adds up what it has of a patch where the tensor cores leave it, and a second launch
// adds these parts.
//
// element and store: as direct_pool.cuh has them.
#pragma once

#include "kernels/conv/direct_pool.cuh"
#include "kernels/conv/direct_rows.cuh"

namespace stitch {

// As DirectRowsTile; nothing is staged.
template <int kGroups, int kInputChannels, int kDepth, int kRows>
struct DirectRowsMeanTile : DirectRowsTile<kGroups, kInputChannels, kDepth, kRows> {
  static constexpr bool is_staged = false;
};

namespace direct_rows_detail {

// The sum of each warpgroup's places of a patch, all parts of a plane behind each other.
template <typename Element>
struct RowSum {
  using Kept = NothingKept;
  Element element;
  float* parts;
  int64_t of_plane;
  int down;  // patches below each other
};

// What one lane has of two channels, eight apart.
struct LaneTotals {
  float sums[2];
  float probe;  // 0, or NaN where a sum is not finite
};

// The outputs under a product, as lanes come across them.
struct ProductPlaces {
  Place patch;
  int rows;  // that are there
  int row;   // of the next place
  int x;

  template <typename Tile, typename Window>
  __device__ __forceinline__ ProductPlaces(const ConvShape& shape, const Layout<Tile, Window>& layout,
                                           const Place& of_patch, int number)
      : patch(of_patch),
        rows(min(Tile::rows, static_cast<int>(shape.out_height) - of_patch.y)),
        row(layout.by_pitch.quotient(number)),
        x(number - row * layout.pitch) {}

  template <typename Tile, typename Window>
  __device__ __forceinline__ bool has(const Layout<Tile, Window>& layout, int i) const {
    return row < rows && x + i < layout.width;
  }
  // Of one that is not there: the last one's.
  template <typename Tile, typename Window>
  __device__ __forceinline__ Place place(const Layout<Tile, Window>& layout, int i) const {
    return {patch.image, patch.z, patch.y + min(row, rows - 1), min(x + i, layout.width - 1)};
  }
  template <typename Tile, typename Window>
  __device__ __forceinline__ void go_on(const Layout<Tile, Window>& layout) {
    x += kEight;
    const bool is_next = x >= layout.pitch;
    x -= is_next ? layout.pitch : 0;
    row += is_next ? 1 : 0;
  }
};

template <int kRank, typename Element>
__device__ __forceinline__ float element_of_place(const Element& element, const Place& place, int channel, float sum) {
  return direct_detail::element_at<kRank>(element, {place.image, place.z, place.y, place.x, channel}, channel, place.y,
                                          sum);
}

// Of one product: `first` is its place, `channels` a lane's two.
template <typename Tile, typename Window, typename Element>
__device__ __forceinline__ LaneTotals add_places(const ConvShape& shape, const Element& element,
                                                 const Layout<Tile, Window>& layout, ProductPlaces places,
                                                 const int (&channels)[2], const float (&unscale)[2],
                                                 const RowSums<Tile, Window>& sums) {
  LaneTotals totals = {};
#pragma unroll
  for (int j = 0; j < Places<Tile, Window>::columns / kEight; ++j) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float sum = sums[j * 4 + i] * unscale[i / 2];
      const float value = element_of_place<Window::rank>(element, places.place(layout, i % 2), channels[i / 2], sum);
      totals.probe = fmaf(sum, 0.0f, totals.probe);
      totals.sums[i / 2] += places.has(layout, i % 2) ? value : 0.0f;
    }
    places.go_on(layout);
  }
  return totals;
}

// The same by plain arithmetic: what two parts do not hold, or may not.
template <typename Tile, typename Window, typename Element>
__device__ __forceinline__ LaneTotals add_places_again(const Source& source, const Element& element,
                                                       const Layout<Tile, Window>& layout, ProductPlaces places,
                                                       const int (&channels)[2]) {
  LaneTotals totals = {};
#pragma unroll 1
  for (int j = 0; j < Places<Tile, Window>::columns / kEight; ++j) {
#pragma unroll 1
    for (int i = 0; i < 4; ++i) {
      if (places.has(layout, i % 2)) {
        const Place place = places.place(layout, i % 2);
        const int channel = i < 2 ? channels[0] : channels[1];
        const float value = element_of_place<Window::rank>(
            element, place, channel,
            direct_mma_detail::sum_again<Window>(source.shape, source.planes, source.input, source.weight, place,
                                                 channel));
        totals.sums[0] += i < 2 ? value : 0.0f;
        totals.sums[1] += i < 2 ? 0.0f : value;
      }
    }
    places.go_on(layout);
  }
  return totals;
}

template <typename Element>
__device__ __forceinline__ void store_totals(const ConvShape& shape, const RowSum<Element>& finish, int64_t image,
                                             int64_t part, int first_channel, const float (&totals)[2]) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    float sum = totals[i];
    sum += __shfl_xor_sync(kFullWarp, sum, 1);
    sum += __shfl_xor_sync(kFullWarp, sum, 2);
    const int channel = first_channel + lane / 4 + i * kEight;
    if (lane % 4 == 0 && channel < shape.out_channels) {
      finish.parts[(image * shape.out_channels + channel) * finish.of_plane + part] = sum;
    }
  }
}

// In the place of that of an epilogue.
template <typename Tile, typename Window, typename Element>
__device__ __forceinline__ void multiply_patch(const Source& source, const RowSum<Element>& finish,
                                               const Memory<Tile, Window>& memory, const Place& place, float unscale,
                                               NothingKept&) {
  const Layout<Tile, Window>& layout = memory.layout;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = warp % 4 * 16 + lane / 4;
  const uint64_t weights = ptx::wgmma_operand_of_cores(memory.weights(), kHalfOfSlice, kEight * kPlaceBytes);
  const uint64_t places = ptx::wgmma_operand_of_cores(memory.parts(), 0, kEight * kPlaceBytes);
  const int first_channel = static_cast<int>(blockIdx.y) * Tile::channels + warp % 4 * 16;
  const auto last_channel = static_cast<int>(source.shape.out_channels) - 1;
  const int channels[2] = {min(first_channel + lane / 4, last_channel),
                           min(first_channel + lane / 4 + kEight, last_channel)};
  const float of_channels[2] = {memory.unscale()[row] * unscale, memory.unscale()[row + kEight] * unscale};
  float totals[2] = {0, 0};
#pragma unroll 1
  for (int number = warp / 4; number < Tile::depth * layout.of_plane; number += Tile::groups) {
    const int z = Tile::depth == 1 ? 0 : number / layout.of_plane;
    const int first = layout.first_place(number - z * layout.of_plane);
    const Place of_z{place.image, place.z + z, place.y, 0};
    const ProductPlaces own(source.shape, layout, of_z, first + lane % 4 * 2);
    if (of_z.z >= source.shape.out_depth || layout.by_pitch.quotient(first) >= own.rows) {
      continue;  // as all of the warpgroup
    }
    RowSums<Tile, Window> sums;
    multiply<Tile, Window>(layout, weights, places + static_cast<uint64_t>(z * Window::stride_z * layout.plane + first),
                           sums);
    LaneTotals added = add_places<Tile, Window>(source.shape, finish.element, layout, own, channels, of_channels, sums);
    if (!__all_sync(kFullWarp, added.probe == 0)) {
      added = add_places_again<Tile, Window>(source, finish.element, layout, own, channels);
    }
    totals[0] += added.sums[0];
    totals[1] += added.sums[1];
  }
  const int64_t patch = int64_t{place.z / Tile::depth} * finish.down + place.y / Tile::rows;
  store_totals(source.shape, finish, place.image, patch * Tile::groups + warp / 4, first_channel, totals);
}

}  // namespace direct_rows_detail

// Sums of whole planes over `divisor`. `scratch` has a float for each warpgroup of each patch of a channel. Needs what
// launch_conv_direct_rows() needs.
template <typename Tile, typename Window, typename Element, typename Store>
cudaError_t launch_conv_direct_rows_mean(const ConvShape& shape, const float* input, const float* weight,
                                         const Element& element, const Store& store, float divisor, void* scratch,
                                         cudaStream_t stream) {
  static_assert(!Tile::is_staged);
  const int64_t down = ceil_divide(shape.out_height, Tile::rows);
  const int64_t of_plane = ceil_divide(shape.out_depth, Tile::depth) * down * Tile::groups;
  auto* const parts = static_cast<float*>(scratch);
  const direct_rows_detail::RowSum<Element> finish{element, parts, of_plane, static_cast<int>(down)};
  const cudaError_t error = direct_rows_detail::launch<Tile, Window>(shape, input, weight, finish, stream);
  return error != cudaSuccess ? error : direct_detail::launch_mean(shape, parts, of_plane, store, divisor, stream);
}

}  // namespace stitch
