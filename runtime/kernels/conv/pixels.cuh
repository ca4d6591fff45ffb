// SPDX-License-Identifier: Apache-2.0
// The pixels of an output, numbered image by image, and the gather of an input around them: as a GEMM, column = output
// pixel (n, z, y, x), k = (channel, tap).
#pragma once

#include "kernels/conv/shape.cuh"

namespace stitch {

template <int kRank>
struct PixelIndex {
  Divider width;
  Divider height;
  Divider depth;

  __host__ PixelIndex(int64_t out_depth, int64_t out_height, int64_t out_width)
      : width(out_width), height(out_height), depth(out_depth) {}

  __device__ __forceinline__ PixelPlace place(int64_t pixel) const {
    const QuotientRemainder row = width.divide(pixel);
    const QuotientRemainder plane = height.divide(row.quotient);
    if constexpr (kRank == 3) {
      const QuotientRemainder image = depth.divide(plane.quotient);
      return {image.quotient, image.remainder, plane.remainder, row.remainder};
    } else {
      return {plane.quotient, 0, plane.remainder, row.remainder};
    }
  }
};

// The taps of a window, and how far apart they are in what they read.
template <int kRank, int kTapsZ, int kTapsY, int kTapsX, int kStepZ, int kStepY, int kStepX>
struct TapGrid {
  static constexpr int rank = kRank;
  static constexpr int taps_z = kTapsZ, taps_y = kTapsY, taps_x = kTapsX;
  static constexpr int step_z = kStepZ, step_y = kStepY, step_x = kStepX;
  static constexpr int taps = kTapsZ * kTapsY * kTapsX;
};

// What a gather reads: planes (channels) of depth x height x width elements, `plane_stride` apart.
struct Planes {
  int64_t plane_stride;
  int depth;
  int height;
  int width;

  // Of one element from the start of its plane.
  __device__ __forceinline__ int64_t offset(int z, int y, int x) const { return (int64_t{z} * height + y) * width + x; }
};

// Where a window's first tap lies; perhaps outside.
template <typename T>
struct Corner {
  const T* planes;
  int z;
  int y;
  int x;
};

// The address of element k below this corner, or null outside the planes and for taps that are not there.
template <typename Source>
__device__ __forceinline__ const typename Source::Element* gathered(const Source& source,
                                                                    const Corner<typename Source::Element>& corner,
                                                                    uint32_t k) {
  using Grid = typename Source::Grid;
  const uint32_t channel = k / Grid::taps;
  const auto tap = static_cast<int>(k % Grid::taps);
  const int tap_z = tap / (Grid::taps_y * Grid::taps_x);
  const int tap_y = tap / Grid::taps_x % Grid::taps_y;
  const int tap_x = tap % Grid::taps_x;
  const int z = corner.z + tap_z * Grid::step_z;
  const int y = corner.y + tap_y * Grid::step_y;
  const int x = corner.x + tap_x * Grid::step_x;
  const Planes& planes = source.planes;
  const bool inside = (Grid::rank == 2 || static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth)) &&
                      static_cast<unsigned>(y) < static_cast<unsigned>(planes.height) &&
                      static_cast<unsigned>(x) < static_cast<unsigned>(planes.width) &&
                      source.has_tap(tap_z, tap_y, tap_x);
  return inside ? corner.planes + channel * planes.plane_stride + planes.offset(z, y, x) : nullptr;
}

inline Planes input_planes(const ConvShape& shape) {
  return {shape.depth * shape.height * shape.width, static_cast<int>(shape.depth), static_cast<int>(shape.height),
          static_cast<int>(shape.width)};
}

}  // namespace stitch
