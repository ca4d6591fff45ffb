// SPDX-License-Identifier: Apache-2.0
// Resampling of the last one, two or three axes: one thread per output, neighbouring threads along a row of the output.
// Functors as in kernels/pool/window.cuh; with one axis they take x alone.
#pragma once

#include "kernels/pool/places.cuh"
#include "kernels/resample/taps.cuh"

namespace stitch {

// Factors that were asked for, of each axis; 0: the ratio of the extents counts.
struct ResampleFactors {
  double z = 0.0;
  double y = 0.0;
  double x = 0.0;
};

namespace resample_detail {

template <typename Mode>
struct Modes {
  Mode z;
  Mode y;
  Mode x;
};

// sum over taps of weight * value(index), the first product taken as it is.
template <typename Taps, typename Value>
__device__ __forceinline__ float blend(const Taps& taps, const Value& value) {
  float sum = taps.weight[0] * value(taps.index[0]);
#pragma unroll
  for (int tap = 1; tap < Taps::count; ++tap) {
    sum += taps.weight[tap] * value(taps.index[tap]);
  }
  return sum;
}

template <int kRank, typename Mode, typename Load, typename Store>
__global__ void __launch_bounds__(pool_detail::kThreads)
    interpolate_kernel(Load load, Store store, Modes<Mode> modes, pool_detail::OutputDividers dividers) {
  const pool_detail::OutputPlace out = pool_detail::output_place<kRank>(dividers);
  if (!out.valid) {
    return;
  }
  const auto taps_x = modes.x.taps(out.x);
  const auto in_row = [&](int64_t z, int64_t y) {
    return blend(taps_x, [&](int64_t x) { return pool_detail::load_at<kRank>(load, out.plane, z, y, x); });
  };
  const auto in_layer = [&](int64_t z) {
    if constexpr (kRank == 1) {
      return in_row(z, 0);
    } else {
      return blend(modes.y.taps(out.y), [&](int64_t y) { return in_row(z, y); });
    }
  };
  float value;
  if constexpr (kRank == 3) {
    value = blend(modes.z.taps(out.z), in_layer);
  } else {
    value = in_layer(0);
  }
  pool_detail::store_at<kRank>(store, out, value);
}

}  // namespace resample_detail

template <int kRank, typename Mode, typename Load, typename Store>
cudaError_t launch_interpolate(const Load& load, const Store& store, const PoolShape& shape,
                               const ResampleFactors& factors, cudaStream_t stream) {
  const pool_detail::OutputDividers dividers = pool_detail::output_dividers(shape);
  if (dividers.outputs == 0) {
    return cudaSuccess;
  }
  const resample_detail::Modes<Mode> modes{Mode({shape.depth, shape.out_depth, factors.z}),
                                           Mode({shape.height, shape.out_height, factors.y}),
                                           Mode({shape.width, shape.out_width, factors.x})};
  resample_detail::interpolate_kernel<kRank, Mode, Load, Store>
      <<<pool_detail::pool_blocks(dividers), pool_detail::kThreads, 0, stream>>>(load, store, modes, dividers);
  return cudaGetLastError();
}

}  // namespace stitch
