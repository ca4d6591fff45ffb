// SPDX-License-Identifier: Apache-2.0
// Direct convolution by three fp16 products (direct_fp16.cuh) that also takes the moments of its outputs:
// kernels/conv/moments.cuh.
//
// element: float operator()(int64_t image, int64_t channel, int64_t pixel, float sum) const, whose moments are taken,
// pixels of a plane numbered along its rows; it may be called again, with another sum, and what it returns then is not
// used. epilogue: void operator()(int64_t image, int64_t channel, int64_t pixel, float element) const.
// store: void operator()(int64_t row, const WelfordAccumulator& total) const, once a row.
#pragma once

#include "kernels/conv/direct_fp16.cuh"
#include "kernels/conv/moments.cuh"

namespace stitch {

namespace direct_fp16_detail {

// In the place of an epilogue, as which it stores elements.
template <int kTiles, bool kByImage, typename Element, typename Epilogue>
struct HalfMoments {
  Element element;
  Epilogue epilogue;
  MomentParts parts;
  int64_t height;
  int64_t width;

  __device__ __forceinline__ int64_t pixel(int64_t z, int64_t y, int64_t x) const {
    return (z * height + y) * width + x;
  }
  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t z, int64_t y, int64_t x,
                                             float value) const {
    epilogue(image, channel, pixel(z, y, x), value);
  }
  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t y, int64_t x, float value) const {
    epilogue(image, channel, pixel(0, y, x), value);
  }
};

// Sums become elements, whose moments are kept. `place`: of this lane's pixel in the warp's first row.
template <typename Tile, typename Moments, typename Kept>
__device__ __forceinline__ void take_half_moments(const ConvShape& shape, const Moments& moments, const Place& place,
                                                  int first_channel, Sums<Tile>& sums, Kept& kept) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto last = static_cast<int>(shape.out_channels) - 1;
  const int first_x = place.x - lane + lane % 4 * 2;
  moments_detail::Taken<Tile::tiles> taken;
  uint32_t there = 0;  // a bit for each of the lane's columns
#pragma unroll
  for (int column = 0; column < 8 * Tile::lines_of_warp; ++column) {
    const int line = column / 8;
    const int y = place.y + (kIsBeside<Tile> ? 0 : line);
    const int x = first_x + (kIsBeside<Tile> ? line * kColumns : 0) + column % 8 / 2 * 8 + column % 2;
    const bool is_there = y < shape.out_height && x < shape.out_width;
    there |= is_there ? 1u << column : 0;
    const int64_t pixel = is_there ? moments.pixel(place.z, y, x) : 0;
#pragma unroll
    for (int i = 0; i < 2 * Tile::tiles; ++i) {
      const int channel = min(first_channel + i * 8 + lane / 4, last);
      float& sum = sums[i / 2][column / 2][i % 2 * 2 + column % 2];
      sum = moments.element(place.image, channel, pixel, sum);
      taken.totals[i / 2][i % 2] += is_there ? sum : 0.0f;
    }
  }
  taken.count = static_cast<float>(__popc(there));
  taken.begin_second();
#pragma unroll
  for (int column = 0; column < 8 * Tile::lines_of_warp; ++column) {
#pragma unroll
    for (int i = 0; i < 2 * Tile::tiles; ++i) {
      taken.add(i / 2, i % 2, sums[i / 2][column / 2][i % 2 * 2 + column % 2], (there >> column & 1) != 0);
    }
  }
  kept.merge(taken.of);
}

// The same by plain arithmetic, and what is stored of them: a lane's pixel of each row.
template <typename Tile, typename Window, typename Moments, typename Kept>
__device__ __forceinline__ void take_half_again(const Source& source, const Moments& moments, const Place& place,
                                                int first_channel, Kept& kept) {
  const ConvShape& shape = source.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  WelfordAccumulator taken[Tile::tiles][2];
#pragma unroll
  for (int i = 0; i < 2 * Tile::tiles; ++i) {
    taken[i / 2][i % 2] = WelfordAccumulator::identity();
  }
#pragma unroll 1
  for (int row = 0; row < Tile::tiles * 16; ++row) {
    // Of a channel that is not there only the count is kept, which all of a lane's channels share.
    const int channel = min(first_channel + row, static_cast<int>(shape.out_channels) - 1);
    WelfordAccumulator own = WelfordAccumulator::identity();
#pragma unroll 1
    for (int line = 0; line < Tile::lines_of_warp; ++line) {
      const Place at = line == 0 ? place : next_row<Tile>(place);
      if (at.y >= shape.out_height || at.x >= shape.out_width) {
        continue;
      }
      const int64_t pixel = moments.pixel(at.z, at.y, at.x);
      const float sum =
          direct_mma_detail::sum_again<Window>(shape, source.planes, source.input, source.weight, at, channel);
      const float value[1] = {moments.element(at.image, channel, pixel, sum)};
      if (first_channel + row < shape.out_channels) {
        moments.epilogue(at.image, channel, pixel, value[0]);
      }
      own.add(value);
    }
    own = warp_merge<32>(own);
#pragma unroll
    for (int i = 0; i < 2 * Tile::tiles; ++i) {
      if (lane == row % 8 * 4 && i == row / 8) {
        taken[i / 2][i % 2] = own;
      }
    }
  }
  kept.merge(taken);
}

template <int kTiles, bool kByImage, typename Element, typename Epilogue>
struct WarpFinish<HalfMoments<kTiles, kByImage, Element, Epilogue>> {
  using Moments = HalfMoments<kTiles, kByImage, Element, Epilogue>;
  moments_detail::Kept<kTiles, kByImage> kept = {};

  template <typename Tile>
  __device__ __forceinline__ void begin_image(const ConvShape& shape, const Moments& moments, int64_t image) {
    kept.begin_image(moments.parts, sharer<Tile>(shape), image);
  }
  template <typename Tile>
  __device__ __forceinline__ void end(const ConvShape& shape, const Moments& moments) const {
    kept.end(moments.parts, sharer<Tile>(shape));
  }

  template <typename Tile, typename Window>
  __device__ __forceinline__ void finish(const Source& source, const Moments& moments, const Place& place,
                                         int first_channel, Sums<Tile>& sums, float* staged) {
    static_assert(Tile::tiles == kTiles);
    if (__all_sync(kFullWarp, are_all_finite<Tile>(sums))) {
      take_half_moments<Tile>(source.shape, moments, place, first_channel, sums, kept);
      store_warp<Tile, Window>(source, moments, place, first_channel, sums, staged);
    } else {
      take_half_again<Tile, Window>(source, moments, place, first_channel, kept);
    }
  }

 private:
  template <typename Tile>
  static __device__ __forceinline__ MomentSharer sharer(const ConvShape& shape) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    return {int64_t{blockIdx.y} * Tile::channels + warp % Tile::warps_of_channels * kTiles * 16, shape.out_channels,
            warp / Tile::warps_of_channels};
  }
};

template <typename Tile, typename Window>
MomentParts moment_parts(const ConvShape& shape, bool by_image, void* scratch) {
  const Shares shares = Shares::of<Tile, Window>(shape);
  return MomentParts::of(shape, shares.of_image(), shares.of_block, Tile::warps_of_pixels, by_image, scratch);
}

}  // namespace direct_fp16_detail

// Bytes of scratch memory.
template <typename Tile, typename Window>
int64_t direct_fp16_moments_bytes(const ConvShape& shape, bool by_image) {
  return direct_fp16_detail::moment_parts<Tile, Window>(shape, by_image, nullptr).bytes(shape);
}

// Needs what launch_conv_direct_fp16() needs. scratch: direct_fp16_moments_bytes().
template <typename Tile, typename Window, typename Element, typename Epilogue, typename Store, typename Rows>
cudaError_t launch_conv_direct_fp16_moments(const ConvShape& shape, const float* input, const float* weight,
                                            const Element& element, const Epilogue& epilogue, bool /*vectorised*/,
                                            const Store& store, const Rows& rows, void* scratch, cudaStream_t stream) {
  using namespace direct_fp16_detail;
  if (shape.batch * shape.out_depth * shape.out_height * shape.out_width * shape.out_channels == 0) {
    return cudaSuccess;
  }
  const MomentParts parts = moment_parts<Tile, Window>(shape, rows.by_image, scratch);
  const HalfMoments<Tile::tiles, Rows::by_image, Element, Epilogue> moments{element, epilogue, parts, shape.out_height,
                                                                            shape.out_width};
  const cudaError_t error = launch_conv_direct_fp16<Tile, Window>(shape, input, weight, moments, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return reduce_detail::launch_join(parts.parts, store, rows.count(shape), rows.channels * parts.of_channel, stream);
}

}  // namespace stitch
