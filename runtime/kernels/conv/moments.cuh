// SPDX-License-Identifier: Apache-2.0
// What a norm behind a convolution has to know of its outputs, taken where their sums are: count, mean and squared
// deviations of each channel, or of some channels of each image. A lane of a warp has outputs of pairs of channels
// eight apart, as tensor cores leave them; it takes those of a patch about the patch's own mean, and joins them by
// Chan's rule from patch to patch. Four lanes are joined where a block ends, or its patches of an image; then all parts
// of a row by another launch, in a fixed order.
#pragma once

#include "kernels/conv/shape.cuh"
#include "kernels/reduce/split.cuh"

namespace stitch {

// Which outputs make a row of what is reduced: a channel of all images.
struct ChannelRows {
  static constexpr bool by_image = false;
  static constexpr int64_t channels = 1;  // of a row

  int64_t count(const ConvShape& shape) const { return shape.out_channels; }
};

// Or so many channels of each image, which follow each other.
struct ImageRows {
  static constexpr bool by_image = true;
  int64_t channels = 1;

  int64_t count(const ConvShape& shape) const { return shape.batch * shape.out_channels / channels; }
};

// Where the moments of a channel lie that so many sharers of a block have taken, of all images or of each; blocks have
// as many patches, in the images' order.
struct MomentParts {
  WelfordAccumulator* parts;
  int64_t channels;          // of all
  int64_t of_channel;        // parts
  int64_t patches_of_image;  // 0: of all images
  int64_t patches_of_block;
  int sharers;

  static MomentParts of(const ConvShape& shape, int64_t patches_of_image, int64_t patches_of_block, int sharers,
                        bool by_image, void* scratch) {
    // An image's patches begin anywhere in a block's.
    const int64_t blocks = by_image ? ceil_divide(patches_of_image - 1, patches_of_block) + 1
                                    : ceil_divide(shape.batch * patches_of_image, patches_of_block);
    return {static_cast<WelfordAccumulator*>(scratch), shape.out_channels, blocks * sharers,
            by_image ? patches_of_image : 0,           patches_of_block,   sharers};
  }
  int64_t bytes(const ConvShape& shape) const {
    return (patches_of_image > 0 ? shape.batch : 1) * channels * of_channel * int64_t{sizeof(WelfordAccumulator)};
  }
  __device__ __forceinline__ int64_t block_of(int64_t patch) const { return patch / patches_of_block; }
};

// A warp among those that share a channel.
struct MomentSharer {
  int64_t first_channel;  // of the warp
  int64_t end_channel;    // behind the last that is there
  int number;
};

namespace moments_detail {

// What a thread keeps from patch to patch, of kPairs of channels, each of which has as many outputs.
template <int kPairs, bool kByImage>
struct Kept {
  float mean[kPairs][2];
  float squared_deviations[kPairs][2];
  float count;
  int image = -1;  // the last, whose moments these are where each image has its own

  __device__ __forceinline__ WelfordAccumulator of(int pair, int half) const {
    return {mean[pair][half], squared_deviations[pair][half], count};
  }
  // `taken`: of all pairs, of as many outputs.
  __device__ __forceinline__ void merge(const WelfordAccumulator (&taken)[kPairs][2]) {
#pragma unroll
    for (int i = 0; i < 2 * kPairs; ++i) {
      WelfordAccumulator joined = of(i / 2, i % 2);
      joined.merge(taken[i / 2][i % 2]);
      mean[i / 2][i % 2] = joined.mean;
      squared_deviations[i / 2][i % 2] = joined.squared_deviations;
    }
    count += taken[0][0].count;
  }

  __device__ __forceinline__ void begin_image(const MomentParts& parts, const MomentSharer& sharer, int64_t next) {
    if constexpr (kByImage) {
      if (next == image) {
        return;
      }
      if (image >= 0) {
        end(parts, sharer);
        *this = {};
      }
      image = static_cast<int>(next);
    }
  }

  __device__ __forceinline__ void end(const MomentParts& parts, const MomentSharer& sharer) const {
#pragma unroll
    for (int i = 0; i < 2 * kPairs; ++i) {
      const int64_t channel = sharer.first_channel + i * 8 + threadIdx.x % 32 / 4;
      const WelfordAccumulator total = warp_merge<4>(of(i / 2, i % 2));
      if (threadIdx.x % 4 == 0 && channel < sharer.end_channel) {
        store(parts, channel, sharer.number, total);
      }
    }
  }

 private:
  // The first block of an image also says that nothing comes of those blocks that might have had patches of it.
  __device__ __forceinline__ void store(const MomentParts& parts, int64_t channel, int sharer,
                                        const WelfordAccumulator& total) const {
    const int64_t first = kByImage ? parts.block_of(image * parts.patches_of_image) : 0;
    WelfordAccumulator* const own =
        parts.parts + ((kByImage ? image : 0) * parts.channels + channel) * parts.of_channel + sharer;
    own[(blockIdx.x - first) * parts.sharers] = total;
    if (kByImage && blockIdx.x == first) {
      const int64_t count = parts.block_of((image + 1) * parts.patches_of_image - 1) + 1 - first;
      for (int64_t block = count; block * parts.sharers < parts.of_channel; ++block) {
        own[block * parts.sharers] = WelfordAccumulator::identity();
      }
    }
  }
};

// Moments of a lane's outputs of a patch, in two passes over its registers.
template <int kPairs>
struct Taken {
  float totals[kPairs][2] = {};
  float count = 0;
  WelfordAccumulator of[kPairs][2];

  __device__ __forceinline__ void begin_second() {
    const float share = count > 0 ? 1.0f / count : 0.0f;
#pragma unroll
    for (int i = 0; i < 2 * kPairs; ++i) {
      of[i / 2][i % 2] = {totals[i / 2][i % 2] * share, 0.0f, count};
    }
  }
  __device__ __forceinline__ void add(int pair, int half, float element, bool is_there) {
    WelfordAccumulator& own = of[pair][half];
    const float difference = element - own.mean;
    own.squared_deviations += is_there ? difference * difference : 0.0f;
  }
};

}  // namespace moments_detail

}  // namespace stitch
