// SPDX-License-Identifier: Apache-2.0
// Direct convolution by wgmma from patches of whole rows (direct_rows.cuh) that also says what a norm behind it has to
// know of the outputs: count, mean and squared deviations of each channel, or of some channels of each image. A lane
// takes those of its two channels where the sums are, of each product about the product's own mean, and joins them by
// Chan's rule from patch to patch; four lanes, and then all blocks, are joined in a fixed order.
//
// element: float operator()(int64_t image, int64_t channel, int64_t pixel, float sum) const, whose moments are taken;
// it may be called again, with another sum, and what it returns then is not used.
// epilogue: as in launch_conv_direct_rows(), of the element.
// store: void operator()(int64_t row, const WelfordAccumulator& total) const, once a row.
#pragma once

#include "kernels/conv/direct_rows.cuh"
#include "kernels/reduce/split.cuh"

namespace stitch {

// Which outputs make a row of what is reduced: a channel of all images, or so many channels of each image.
struct MomentRows {
  int64_t channels = 1;  // of a row
  bool by_image = false;

  int64_t count(const ConvShape& shape) const { return (by_image ? shape.batch : 1) * shape.out_channels / channels; }
};

namespace direct_rows_detail {

// Where the moments of a channel lie that a warpgroup of a block has taken, of all images or of each.
struct MomentParts {
  WelfordAccumulator* parts;
  int64_t of_channel;
  int64_t patches_of_image;  // 0: of all images
  int64_t patches_of_block;

  template <typename Tile>
  static MomentParts of(const Shares& shares, bool by_image, void* scratch) {
    const int64_t patches = shares.deep * shares.down;
    // An image's patches begin anywhere in a block's.
    const int64_t blocks = by_image ? ceil_divide(patches - 1, shares.of_block) + 1 : shares.blocks();
    return {static_cast<WelfordAccumulator*>(scratch), blocks * Tile::groups, by_image ? patches : 0, shares.of_block};
  }
  __device__ __forceinline__ int64_t block_of(int64_t patch) const { return patch / patches_of_block; }
};

// What a thread keeps from patch to patch: the moments of its warp's channels.
template <bool kByImage>
struct MomentsKept {
  // Of each of a lane's two channels, of which both have as many outputs.
  float mean[2];
  float squared_deviations[2];
  float count;
  int image = -1;  // the last, whose moments these are where each image has its own

  template <int kHalf>
  __device__ __forceinline__ WelfordAccumulator of() const {
    return {mean[kHalf], squared_deviations[kHalf], count};
  }
  __device__ __forceinline__ void merge(const WelfordAccumulator& first, const WelfordAccumulator& second) {
    WelfordAccumulator joined[2] = {of<0>(), of<1>()};
    joined[0].merge(first);
    joined[1].merge(second);
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      mean[half] = joined[half].mean;
      squared_deviations[half] = joined[half].squared_deviations;
    }
    count = joined[0].count;
  }

  template <typename Finish>
  __device__ __forceinline__ void begin_image(const ConvShape& shape, const Finish& finish, int64_t next) {
    if constexpr (kByImage) {
      if (next == image) {
        return;
      }
      if (image >= 0) {
        end(shape, finish);
        *this = {};
      }
      image = static_cast<int>(next);
    }
  }

  template <typename Finish>
  __device__ __forceinline__ void end(const ConvShape& shape, const Finish& finish) const {
    store<0>(shape, finish);
    store<1>(shape, finish);
  }

 private:
  // The first block of an image also says that nothing comes of those blocks that might have had patches of it.
  template <int kHalf, typename Finish>
  __device__ __forceinline__ void store(const ConvShape& shape, const Finish& finish) const {
    constexpr int kGroups = Finish::groups;
    const MomentParts& to = finish.parts;
    const WelfordAccumulator total = warp_merge<4>(of<kHalf>());
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int64_t channel =
        int64_t{blockIdx.y} * kRowsOfProduct + warp % 4 * 16 + kHalf * kEight + threadIdx.x % 32 / 4;
    if (threadIdx.x % 4 != 0 || channel >= shape.out_channels) {
      return;
    }
    const int64_t first = kByImage ? to.block_of(image * to.patches_of_image) : 0;
    WelfordAccumulator* const parts =
        to.parts + ((kByImage ? image : 0) * shape.out_channels + channel) * to.of_channel + warp / 4;
    parts[(blockIdx.x - first) * kGroups] = total;
    if (kByImage && blockIdx.x == first) {
      const int64_t count = to.block_of((image + 1) * to.patches_of_image - 1) + 1 - first;
      for (int64_t block = count; block * kGroups < to.of_channel; ++block) {
        parts[block * kGroups] = WelfordAccumulator::identity();
      }
    }
  }
};

template <int kGroups, bool kByImage, typename Element, typename Epilogue>
struct RowMoments {
  using Kept = MomentsKept<kByImage>;
  static constexpr int groups = kGroups;
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
                                             MomentsKept<kByImage>& kept) {
  const int lane_channel = first_channel + static_cast<int>(threadIdx.x) % 32 / 4;
  const auto last = static_cast<int>(shape.out_channels) - 1;
  const int channels[2] = {min(lane_channel, last), min(lane_channel + kEight, last)};
  static_assert(Places<Tile, Window>::columns <= 128, "a lane's columns are the bits of a word");
  float totals[2] = {};
  uint32_t there = 0;  // a bit for each of the lane's columns
  visit_columns<Tile, Window>(layout, run, first, [&](int i, int output, bool is_there) {
    there |= is_there ? 1u << (i / 4 * 2 + i % 2) : 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      float& sum = sums[i + 2 * half];
      sum = element(run.place.image, channels[half], run.pixel + (is_there ? output : 0), sum);
      totals[half] += is_there ? sum : 0.0f;
    }
  });
  const auto count = static_cast<float>(__popc(there));
  const float share = there != 0 ? 1.0f / count : 0.0f;
  WelfordAccumulator own[2] = {{totals[0] * share, 0.0f, count}, {totals[1] * share, 0.0f, count}};
#pragma unroll
  for (int column = 0; column < Places<Tile, Window>::columns / 4; ++column) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float difference = sums[column / 2 * 4 + column % 2 + 2 * half] - own[half].mean;
      own[half].squared_deviations += (there >> column & 1) != 0 ? difference * difference : 0.0f;
    }
  }
  kept.merge(own[0], own[1]);
}

// The same by plain arithmetic, and what is stored of them.
template <typename Window, int kGroups, bool kByImage, typename Element, typename Epilogue>
__device__ __forceinline__ void take_again(const Source& source,
                                           const RowMoments<kGroups, kByImage, Element, Epilogue>& finish,
                                           const Run& run, int first_channel, MomentsKept<kByImage>& kept) {
  const ConvShape& shape = source.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto width = static_cast<int>(shape.out_width);
  WelfordAccumulator taken[2] = {WelfordAccumulator::identity(), WelfordAccumulator::identity()};
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
      taken[0] = i < kEight ? own : taken[0];
      taken[1] = i < kEight ? taken[1] : own;
    }
  }
  kept.merge(taken[0], taken[1]);
}

// In the place of that of an epilogue alone.
template <typename Tile, typename Window, int kGroups, bool kByImage, typename Element, typename Epilogue>
__device__ __forceinline__ void finish_warp(const Source& source,
                                            const RowMoments<kGroups, kByImage, Element, Epilogue>& finish,
                                            const Layout<Tile, Window>& layout, const Run& run, int first,
                                            int first_channel, const float (&unscale)[2], RowSums<Tile, Window>& sums,
                                            float* staged, MomentsKept<kByImage>& kept) {
  if (unscale_sums(unscale, sums)) {
    take_moments<Tile, Window>(source.shape, finish.element, layout, run, first, first_channel, sums, kept);
    store_staged<Tile, Window>(source, finish.stored, layout, run, first, first_channel, sums, staged);
  } else {
    take_again<Window>(source, finish, run, first_channel, kept);
  }
}

}  // namespace direct_rows_detail

// Bytes of what launch_conv_direct_rows_moments() writes to scratch memory.
template <typename Tile>
int64_t direct_rows_moments_bytes(const ConvShape& shape, bool by_image) {
  using namespace direct_rows_detail;
  const MomentParts parts = MomentParts::of<Tile>(Shares::of<Tile>(shape), by_image, nullptr);
  return (by_image ? shape.batch : 1) * shape.out_channels * parts.of_channel *
         static_cast<int64_t>(sizeof(WelfordAccumulator));
}

// Needs what launch_conv_direct_rows() needs. scratch: direct_rows_moments_bytes(). A row's channels follow each other.
template <typename Tile, typename Window, typename Element, typename Epilogue, typename Store>
cudaError_t launch_conv_direct_rows_moments(const ConvShape& shape, const float* input, const float* weight,
                                            const Element& element, const Epilogue& epilogue, bool vectorised,
                                            const Store& store, const MomentRows& rows, void* scratch,
                                            cudaStream_t stream) {
  using namespace direct_rows_detail;
  const Shares shares = Shares::of<Tile>(shape);
  if (shares.count == 0 || shape.out_channels == 0 || shape.out_width == 0) {
    return cudaSuccess;
  }
  const MomentParts parts = MomentParts::of<Tile>(shares, rows.by_image, scratch);
  cudaError_t error = cudaSuccess;
  if (rows.by_image) {
    const RowMoments<Tile::groups, true, Element, Epilogue> finish{element, {epilogue, vectorised}, parts};
    error = launch<Tile, Window>(shape, input, weight, finish, stream);
  } else {
    const RowMoments<Tile::groups, false, Element, Epilogue> finish{element, {epilogue, vectorised}, parts};
    error = launch<Tile, Window>(shape, input, weight, finish, stream);
  }
  if (error != cudaSuccess) {
    return error;
  }
  return reduce_detail::launch_join(parts.parts, store, rows.count(shape), rows.channels * parts.of_channel, stream);
}

}  // namespace stitch
