// SPDX-License-Identifier: Apache-2.0
// Direct convolution by wgmma from patches of whole rows (direct_rows.cuh) whose outputs are pooled before they leave
// the registers, by windows that lie side by side: a warpgroup multiplies the rows of its windows one after the other,
// and a lane joins what it has of each place; neighbouring lanes then have the columns of a window.
//
// element: float operator()(int64_t image, int64_t channel, int64_t y, int64_t x, float sum) const, what is pooled.
// store: void operator()(int64_t image, int64_t channel, int64_t out_y, int64_t out_x, float value) const.
#pragma once

#include "kernels/conv/direct_rows.cuh"
#include "kernels/pool/joins.cuh"

namespace stitch {

// As DirectRowsTile, of two axes; nothing is staged, and each product is of one row.
template <int kGroups, int kInputChannels, int kRows>
struct DirectRowsPoolTile : DirectRowsTile<kGroups, kInputChannels, 1, kRows> {
  static constexpr bool is_pooled = true;
  static constexpr bool is_staged = false;
};

namespace direct_rows_detail {

template <typename Join, int kHeight, int kWidth, typename Element, typename Store>
struct RowPool {
  using Kept = NothingKept;
  Element element;
  Store store;
  int64_t height;  // of the pooled planes
  int64_t width;
  float divisor;
};

// What a warp pools at a time: the first output of its windows, and its first channel.
struct PooledPlace {
  int64_t image;
  int y;
  int x;
  int channel;
};

// The channel of a lane's sum, and its column.
__device__ __forceinline__ int channel_of_sum(int i) {
  return static_cast<int>(threadIdx.x) % 32 / 4 + i % 4 / 2 * kEight;
}
__device__ __forceinline__ int column_of_sum(int i) {
  return i / 4 * 8 + static_cast<int>(threadIdx.x) % 4 * 2 + i % 2;
}

// Joins row `y` with those above it. Returns 0, or NaN where a sum is not finite.
template <typename Join, typename Element, int kSums>
__device__ __forceinline__ float join_row(const ConvShape& shape, const Element& element, const PooledPlace& place,
                                          int y, const float (&unscale)[2], const float (&sums)[kSums],
                                          float (&joined)[kSums]) {
  float probe = 0;
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const float sum = sums[i] * unscale[i % 4 / 2];
    const int channel = place.channel + channel_of_sum(i);
    const int x = place.x + column_of_sum(i);
    probe = fmaf(sum, 0.0f, probe);
    if (x < shape.out_width && channel < shape.out_channels) {
      joined[i] = Join::join(joined[i], element(place.image, channel, y, x, sum));
    }
  }
  return probe;
}

// Joins the columns of windows, and stores those that are there.
template <int kHeight, typename Join, int kWidth, typename Element, typename Store, int kSums>
__device__ __forceinline__ void store_windows(const ConvShape& shape,
                                              const RowPool<Join, kHeight, kWidth, Element, Store>& finish,
                                              const PooledPlace& place, const float (&joined)[kSums]) {
#pragma unroll
  for (int i = 0; i < kSums; i += 2) {
    float value = Join::join(joined[i], joined[i + 1]);
#pragma unroll
    for (int distance = 1; distance < kWidth / 2; distance *= 2) {
      value = Join::join(value, __shfl_xor_sync(kFullWarp, value, distance));
    }
    const int x = place.x + column_of_sum(i);
    const int channel = place.channel + channel_of_sum(i);
    if (x % kWidth == 0 && x / kWidth < finish.width && channel < shape.out_channels) {
      finish.store(place.image, channel, place.y / kHeight, x / kWidth, Join::finish(value, finish.divisor));
    }
  }
}

// All windows of a warp by plain arithmetic: what two parts do not hold, or may not.
template <typename Window, int kPlaces, typename Join, int kHeight, int kWidth, typename Element, typename Store>
__device__ __forceinline__ void pool_again(const Source& source,
                                           const RowPool<Join, kHeight, kWidth, Element, Store>& finish,
                                           const PooledPlace& place) {
  constexpr int kWindows = kPlaces / kWidth;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % 32; i < 16 * kWindows; i += 32) {
    const int channel = place.channel + i / kWindows;
    const int window = place.x / kWidth + i % kWindows;
    if (channel >= source.shape.out_channels || window >= finish.width) {
      continue;
    }
    float value = Join::identity;
#pragma unroll 1
    for (int k = 0; k < kHeight * kWidth; ++k) {
      const Place at{place.image, 0, place.y + k / kWidth, window * kWidth + k % kWidth};
      const float sum =
          direct_mma_detail::sum_again<Window>(source.shape, source.planes, source.input, source.weight, at, channel);
      value = Join::join(value, finish.element(place.image, channel, at.y, at.x, sum));
    }
    finish.store(place.image, channel, place.y / kHeight, window, Join::finish(value, finish.divisor));
  }
}

// In the place of that of an epilogue.
template <typename Tile, typename Window, typename Join, int kHeight, int kWidth, typename Element, typename Store>
__device__ __forceinline__ void multiply_patch(const Source& source,
                                               const RowPool<Join, kHeight, kWidth, Element, Store>& finish,
                                               const Memory<Tile, Window>& memory, const Place& place, float unscale,
                                               NothingKept&) {
  constexpr int kColumns = Places<Tile, Window>::columns;
  static_assert(Tile::rows % kHeight == 0 && (kWidth == 2 || kWidth == 4 || kWidth == 8), "a window leaves the warp");
  const Layout<Tile, Window>& layout = memory.layout;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp % 4 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
  const uint64_t weights = ptx::wgmma_operand_of_cores(memory.weights(), kHalfOfSlice, kEight * kPlaceBytes);
  const uint64_t places = ptx::wgmma_operand_of_cores(memory.parts(), 0, kEight * kPlaceBytes);
#pragma unroll 1
  for (int number = warp / 4; number < Tile::rows / kHeight * layout.of_row; number += Tile::groups) {
    const int first_row = number / layout.of_row * kHeight;
    const PooledPlace windows{place.image, place.y + first_row, number % layout.of_row * kColumns,
                              static_cast<int>(blockIdx.y) * Tile::channels + warp % 4 * 16};
    if (windows.y / kHeight >= finish.height || windows.x / kWidth >= finish.width) {
      continue;  // as all of the warpgroup
    }
    const float of_channels[2] = {memory.unscale()[row] * unscale, memory.unscale()[row + kEight] * unscale};
    RowSums<Tile, Window> joined;
#pragma unroll
    for (float& value : joined) {
      value = Join::identity;
    }
    float probe = 0;
#pragma unroll 1
    for (int i = 0; i < kHeight; ++i) {
      const int first = (first_row + i) * layout.pitch + windows.x;
      RowSums<Tile, Window> sums;
      multiply<Tile, Window>(layout, weights, places + static_cast<uint64_t>(first), sums);
      probe += join_row<Join>(source.shape, finish.element, windows, windows.y + i, of_channels, sums, joined);
    }
    if (__all_sync(kFullWarp, probe == 0)) {
      store_windows(source.shape, finish, windows, joined);
    } else {
      pool_again<Window, kColumns>(source, finish, windows);
    }
  }
}

}  // namespace direct_rows_detail

// Windows of kHeight x kWidth side by side, of which `height` x `width` lie within the output. Needs what
// launch_conv_direct_rows() needs.
template <typename Tile, typename Window, typename Join, int kHeight, int kWidth, typename Element, typename Store>
cudaError_t launch_conv_direct_rows_pool(const ConvShape& shape, const float* input, const float* weight,
                                         const Element& element, const Store& store, int64_t height, int64_t width,
                                         float divisor, cudaStream_t stream) {
  static_assert(Window::rank == 2 && Tile::is_pooled);
  const direct_rows_detail::RowPool<Join, kHeight, kWidth, Element, Store> finish{element, store, height, width,
                                                                                  divisor};
  return direct_rows_detail::launch<Tile, Window>(shape, input, weight, finish, stream);
}

}  // namespace stitch
