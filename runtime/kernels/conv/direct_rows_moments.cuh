// SPDX-License-Identifier: Apache-2.0
// Direct convolution by wgmma from patches of whole rows (direct_rows.cuh) that also takes the moments of its outputs:
// kernels/conv/moments.cuh.
//
// element: float operator()(int64_t image, int64_t channel, int64_t pixel, float sum) const, whose moments are taken;
// it may be called again, with another sum, and what it returns then is not used.
// epilogue: as in launch_conv_direct_rows(), of the element.
// store: void operator()(int64_t row, const WelfordAccumulator& total) const, once a row.
#pragma once

#include "kernels/conv/direct_rows.cuh"
#include "kernels/conv/moments.cuh"

namespace stitch {

namespace direct_rows_detail {

// What a thread keeps from patch to patch.
template <bool kByImage>
struct MomentsKept {
  moments_detail::Kept<1, kByImage> moments;

  template <typename Finish>
  __device__ __forceinline__ void begin_image(const ConvShape& shape, const Finish& finish, int64_t next) {
    moments.begin_image(finish.parts, sharer(shape), next);
  }
  template <typename Finish>
  __device__ __forceinline__ void end(const ConvShape& shape, const Finish& finish) const {
    moments.end(finish.parts, sharer(shape));
  }

 private:
  static __device__ __forceinline__ MomentSharer sharer(const ConvShape& shape) {
    const int warp = static_cast<int>(threadIdx.x) / 32;
    return {int64_t{blockIdx.y} * kRowsOfProduct + warp % 4 * 16, shape.out_channels, warp / 4};
  }
};

template <bool kByImage, typename Element, typename Epilogue>
struct RowMoments {
  using Kept = MomentsKept<kByImage>;
  Element element;
  RowFinish<Epilogue> stored;
  MomentParts parts;
};

// visit(number of the lane's first sum of a column, output from the run's first, whether it is one), column by column.
template <typename Tile, typename Window, typename Visit>
__device__ __forceinline__ void visit_columns(const Layout<Tile, Window>& layout, const Run& run, int first,
                                              const Visit& visit) {
  const int number = first + static_cast<int>(threadIdx.x) % 4 * 2;
  const int row = layout.by_pitch.quotient(number);
  int x = number - row * layout.pitch;
  int output = row * layout.width + x - run.output;
#pragma unroll
  for (int j = 0; j < Places<Tile, Window>::columns / 8; ++j) {
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      visit(j * 4 + k, output + k, x + k < layout.width && output + k < run.count);
    }
    x += 8;
    output += 8;
    const bool is_next = x >= layout.pitch;
    x -= is_next ? layout.pitch : 0;
    output += is_next ? layout.width - layout.pitch : 0;
  }
}

// Sums become elements, whose moments are kept.
template <typename Tile, typename Window, bool kByImage, typename Element>
__device__ __forceinline__ void take_moments(const ConvShape& shape, const Element& element,
                                             const Layout<Tile, Window>& layout, const Run& run, int first,
                                             int first_channel, RowSums<Tile, Window>& sums,
                                             moments_detail::Kept<1, kByImage>& kept) {
  const int lane_channel = first_channel + static_cast<int>(threadIdx.x) % 32 / 4;
  const auto last = static_cast<int>(shape.out_channels) - 1;
  const int channels[2] = {min(lane_channel, last), min(lane_channel + kEight, last)};
  static_assert(Places<Tile, Window>::columns <= 128, "a lane's columns are the bits of a word");
  moments_detail::Taken<1> taken;
  uint32_t there = 0;  // a bit for each of the lane's columns
  visit_columns<Tile, Window>(layout, run, first, [&](int i, int output, bool is_there) {
    there |= is_there ? 1u << (i / 4 * 2 + i % 2) : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float& sum = sums[i + 2 * half];
      sum = element(run.place.image, channels[half], run.pixel + (is_there ? output : 0), sum);
      taken.totals[0][half] += is_there ? sum : 0.0f;
    }
  });
  taken.count = static_cast<float>(__popc(there));
  taken.begin_second();
#pragma unroll
  for (int column = 0; column < Places<Tile, Window>::columns / 4; ++column) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      taken.add(0, half, sums[column / 2 * 4 + column % 2 + 2 * half], (there >> column & 1) != 0);
    }
  }
  kept.merge(taken.of);
}

// The same by plain arithmetic, and what is stored of them.
template <typename Window, bool kByImage, typename Element, typename Epilogue>
__device__ __forceinline__ void take_again(const Source& source, const RowMoments<kByImage, Element, Epilogue>& finish,
                                           const Run& run, int first_channel, moments_detail::Kept<1, kByImage>& kept) {
  const ConvShape& shape = source.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto width = static_cast<int>(shape.out_width);
  WelfordAccumulator taken[1][2] = {{WelfordAccumulator::identity(), WelfordAccumulator::identity()}};
#pragma unroll 1
  for (int i = 0; i < 16; ++i) {
    const int channel = first_channel + i;
    WelfordAccumulator own = WelfordAccumulator::identity();
#pragma unroll 1
    for (int output = lane; output < run.count && channel < shape.out_channels; output += 32) {
      const int y = (run.output + output) / width;
      const Place place{run.place.image, run.place.z, run.place.y + y, run.output + output - y * width};
      const int64_t pixel = run.pixel + output;
      const float sum =
          direct_mma_detail::sum_again<Window>(shape, source.planes, source.input, source.weight, place, channel);
      const float value[1] = {finish.element(place.image, channel, pixel, sum)};
      finish.stored.epilogue(place.image, channel, pixel, value[0]);
      own.add(value);
    }
    own = warp_merge<32>(own);
    own.count = static_cast<float>(run.count);  // of a channel that is not there, too
    if (lane == i % kEight * 4) {
      taken[0][0] = i < kEight ? own : taken[0][0];
      taken[0][1] = i < kEight ? taken[0][1] : own;
    }
  }
  kept.merge(taken);
}

// In the place of that of an epilogue alone.
template <typename Tile, typename Window, bool kByImage, typename Element, typename Epilogue>
__device__ __forceinline__ void finish_warp(const Source& source, const RowMoments<kByImage, Element, Epilogue>& finish,
                                            const Layout<Tile, Window>& layout, const Run& run, int first,
                                            int first_channel, const float (&unscale)[2], RowSums<Tile, Window>& sums,
                                            float* staged, MomentsKept<kByImage>& kept) {
  if (unscale_sums(unscale, sums)) {
    take_moments<Tile, Window>(source.shape, finish.element, layout, run, first, first_channel, sums, kept.moments);
    store_staged<Tile, Window>(source, finish.stored, layout, run, first, first_channel, sums, staged);
  } else {
    take_again<Window>(source, finish, run, first_channel, kept.moments);
  }
}

template <typename Tile>
MomentParts moment_parts(const ConvShape& shape, bool by_image, void* scratch) {
  const Shares shares = Shares::of<Tile>(shape);
  return MomentParts::of(shape, shares.deep * shares.down, shares.of_block, Tile::groups, by_image, scratch);
}

}  // namespace direct_rows_detail

// Bytes of what launch_conv_direct_rows_moments() writes to scratch memory.
template <typename Tile>
int64_t direct_rows_moments_bytes(const ConvShape& shape, bool by_image) {
  return direct_rows_detail::moment_parts<Tile>(shape, by_image, nullptr).bytes(shape);
}

// Needs what launch_conv_direct_rows() needs. scratch: direct_rows_moments_bytes().
template <typename Tile, typename Window, typename Element, typename Epilogue, typename Store, typename Rows>
cudaError_t launch_conv_direct_rows_moments(const ConvShape& shape, const float* input, const float* weight,
                                            const Element& element, const Epilogue& epilogue, bool vectorised,
                                            const Store& store, const Rows& rows, void* scratch, cudaStream_t stream) {
  using namespace direct_rows_detail;
  if (shape.batch * shape.out_depth * shape.out_height * shape.out_width * shape.out_channels == 0) {
    return cudaSuccess;
  }
  const MomentParts parts = moment_parts<Tile>(shape, rows.by_image, scratch);
  const RowMoments<Rows::by_image, Element, Epilogue> finish{element, {epilogue, vectorised}, parts};
  const cudaError_t error = launch<Tile, Window>(shape, input, weight, finish, stream);
  if (error != cudaSuccess) {
    return error;
  }
  return reduce_detail::launch_join(parts.parts, store, rows.count(shape), rows.channels * parts.of_channel, stream);
}

}  // namespace stitch
