// SPDX-License-Identifier: Apache-2.0
// The input of a convolution as fp16 for the tensor cores to read it from shared memory as it lies: eight channels of a
// place beside each other, planes of places one after the other. A plane has all places that windows read, those of the
// padding too, so that a patch of it is rows of bytes and nothing has to be looked at. Scales and what fp16 does not
// hold are those of kernels/conv/patch_words.cuh.
#pragma once

#include "kernels/conv/patch_words.cuh"

namespace stitch {

namespace patch_detail {

constexpr int kEight = 8;
constexpr int kPlaceBytes = kEight * 2;

// Of one image; their first place is that of the input at `origin`, which may lie outside.
struct EightPlanes {
  int planes;
  int depth;
  int height;
  int width;
  int origin_z;
  int origin_y;
  int origin_x;

  // As many planes as whole slices of `Tile` have.
  template <typename Window, typename Tile>
  static __host__ EightPlanes of(const ConvShape& shape, int together, int shortest) {
    using Axes = PatchAxes<Window>;
    const auto rounded = [](int64_t extent, int piece) { return static_cast<int>(ceil_divide(extent, piece)) * piece; };
    const int64_t slices = ceil_divide(shape.in_channels, int64_t{kEight} * Tile::planes);
    const int width = rounded(Axes::X::places(shape.out_width) + Axes::X::extent(1) - 1, together);
    return {static_cast<int>(slices) * Tile::planes,
            rounded(Axes::Z::places(shape.out_depth), Tile::deep) + Axes::Z::extent(1) - 1,
            rounded(Axes::Y::places(shape.out_height), Tile::high) + Axes::Y::extent(1) - 1,
            width > shortest ? width : shortest,
            Axes::Z::origin,
            Axes::Y::origin,
            Axes::X::origin};
  }

  __host__ __device__ int64_t places() const { return int64_t{depth} * height * width; }
  __host__ __device__ int64_t image_bytes() const { return planes * places() * kPlaceBytes; }
};

// Which places of which planes a block packs: kRuns * 32 for each `warps_of_run` of its warps, which share the planes.
template <int kRuns>
struct EightSteps {
  int64_t blocks_of_image;
  int64_t blocks;
  int warps_of_run;

  __host__ EightSteps(const ConvShape& shape, const EightPlanes& planes) : warps_of_run(1) {
    while (warps_of_run < kPackWarps && 2 * warps_of_run <= planes.planes) {
      warps_of_run *= 2;
    }
    blocks_of_image = ceil_divide(planes.places(), int64_t{32} * kRuns * (kPackWarps / warps_of_run));
    blocks = shape.batch * blocks_of_image;
  }
};

// Where a thread's places, 32 apart, lie in a plane of the input; -1 outside.
template <int kRuns>
__device__ __forceinline__ void find_inputs(const ConvShape& shape, const EightPlanes& planes, int64_t first,
                                            int (&offset)[kRuns]) {
  const auto row = static_cast<int>(first / planes.width);
  int x = static_cast<int>(first - int64_t{row} * planes.width);
  int y = row % planes.height;
  int z = row / planes.height;
#pragma unroll
  for (int i = 0; i < kRuns; ++i) {
    const int in_x = x + planes.origin_x;
    const int in_y = y + planes.origin_y;
    const int in_z = z + planes.origin_z;
    const bool is_inside =
        in_x >= 0 && in_x < shape.width && in_y >= 0 && in_y < shape.height && in_z >= 0 && in_z < shape.depth;
    offset[i] = is_inside ? (in_z * static_cast<int>(shape.height) + in_y) * static_cast<int>(shape.width) + in_x : -1;
    x += 32;
    while (x >= planes.width) {
      x -= planes.width;
      ++y;
    }
    while (y >= planes.height) {
      y -= planes.height;
      ++z;
    }
  }
}

// What a block has seen of its places so far.
template <int kRuns>
struct SeenPlaces {
  static_assert(kRuns * kFlagsOfPlace <= 32);
  uint32_t largest = 0;
  uint32_t flags = 0;
};

// Packs eight channels at a thread's places. `from`: the first channel's plane; `count` of them are there.
template <int kRuns>
__device__ __forceinline__ void pack_eight(const float* from, int64_t plane, int count, const int (&offset)[kRuns],
                                           float scale, uint32_t (&words)[kRuns][kEight / 2], SeenPlaces<kRuns>& seen) {
#pragma unroll
  for (int word = 0; word < kEight / 2; ++word) {
    float low[kRuns];
    float high[kRuns];
#pragma unroll
    for (int i = 0; i < kRuns; ++i) {
      low[i] = offset[i] >= 0 && 2 * word < count ? from[2 * word * plane + offset[i]] : 0;
      high[i] = offset[i] >= 0 && 2 * word + 1 < count ? from[(2 * word + 1) * plane + offset[i]] : 0;
    }
#pragma unroll
    for (int i = 0; i < kRuns; ++i) {
      words[i][word] = ptx::pack_fp16x2(low[i] * scale, high[i] * scale);
      seen.largest = max(seen.largest, max(finite_magnitude_bits(low[i]), finite_magnitude_bits(high[i])));
      seen.flags |= seen_of_place(words[i][word], low[i], high[i]) << i * kFlagsOfPlace;
    }
  }
}

// Packs the places of a block and counts them in with their image's range.
template <int kRuns, bool kAgain>
__device__ __forceinline__ void pack_eights_of_block(const ConvShape& shape, const EightPlanes& planes,
                                                     const EightSteps<kRuns>& steps, const float* input, uint4* eights,
                                                     ImageRange* ranges, int64_t block, SeenByBlock& seen_by) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t image = block / steps.blocks_of_image;
  ImageRange& range = ranges[image];
  if (kAgain && !range.is_packed_again()) {
    return;
  }
  const float scale = kAgain ? fp16_scale(range.largest).scale : range.scale;
  const int64_t chunk = block % steps.blocks_of_image * (kPackWarps / steps.warps_of_run) + warp / steps.warps_of_run;
  const int64_t first = chunk * 32 * kRuns + lane;
  const int64_t places = planes.places();
  const int64_t plane = shape.depth * shape.height * shape.width;
  int offset[kRuns];
  find_inputs<kRuns>(shape, planes, first, offset);
  SeenPlaces<kRuns> seen;
#pragma unroll 1
  for (int number = warp % steps.warps_of_run; number < planes.planes; number += steps.warps_of_run) {
    uint32_t words[kRuns][kEight / 2];
    const auto left = static_cast<int>(shape.in_channels) - number * kEight;
    pack_eight<kRuns>(input + (image * shape.in_channels + number * kEight) * plane, plane, left, offset, scale, words,
                      seen);
    uint4* const to = eights + (image * planes.planes + number) * places + first;
#pragma unroll
    for (int i = 0; i < kRuns; ++i) {
      if (first + i * 32 < places) {
        to[i * 32] = make_uint4(words[i][0], words[i][1], words[i][2], words[i][3]);
      }
    }
  }
  if (has_small_place(seen.flags, steps.warps_of_run, seen_by)) {
    atomicMax(kAgain ? &range.has_small_then : &range.has_small, 1u);
  }
  if constexpr (!kAgain) {
    const uint32_t largest = __reduce_max_sync(kFullWarp, seen.largest);
    if (lane == 0 && largest != 0) {
      atomicMax(&range.largest, largest);
    }
  }
}

template <int kRuns>
__global__ void __launch_bounds__(kPackThreads, 2)
    pack_eights_kernel(ConvShape shape, EightPlanes planes, EightSteps<kRuns> steps, const float* input, uint4* eights,
                       ImageRange* ranges) {
  __shared__ SeenByBlock seen_by;
  pack_eights_of_block<kRuns, false>(shape, planes, steps, input, eights, ranges, blockIdx.x, seen_by);
}

template <int kRuns>
__global__ void __launch_bounds__(kPackThreads)
    pack_eights_again_kernel(ConvShape shape, EightPlanes planes, EightSteps<kRuns> steps, const float* input,
                             uint4* eights, ImageRange* ranges) {
  __shared__ SeenByBlock seen_by;
  if (!is_any_packed_again(shape, ranges)) {
    return;
  }
  for (int64_t block = blockIdx.x; block < steps.blocks; block += gridDim.x) {
    pack_eights_of_block<kRuns, true>(shape, planes, steps, input, eights, ranges, block, seen_by);
    __syncthreads();  // what was seen is written over
  }
}

template <int kRuns>
cudaError_t launch_pack_eights_by(const ConvShape& shape, const EightPlanes& planes, const float* input, uint4* eights,
                                  ImageRange* ranges, cudaStream_t stream) {
  const EightSteps<kRuns> steps(shape, planes);
  if (steps.blocks == 0) {
    return cudaSuccess;
  }
  const int64_t again = steps.blocks < kMostBlocksAgain ? steps.blocks : kMostBlocksAgain;
  pack_eights_kernel<kRuns>
      <<<static_cast<unsigned>(steps.blocks), kPackThreads, 0, stream>>>(shape, planes, steps, input, eights, ranges);
  pack_eights_again_kernel<kRuns>
      <<<static_cast<unsigned>(again), kPackThreads, 0, stream>>>(shape, planes, steps, input, eights, ranges);
  return cudaGetLastError();
}

// Behind the launch that has sampled the images. Of large planes 2 KB of each channel at a time: memory is faster so.
inline cudaError_t launch_pack_eights(const ConvShape& shape, const EightPlanes& planes, const float* input,
                                      uint4* eights, ImageRange* ranges, cudaStream_t stream) {
  constexpr int kMany = 16, kFew = 4;
  constexpr int64_t kLarge = 4096;
  return planes.places() >= kLarge ? launch_pack_eights_by<kMany>(shape, planes, input, eights, ranges, stream)
                                   : launch_pack_eights_by<kFew>(shape, planes, input, eights, ranges, stream);
}

}  // namespace patch_detail

}  // namespace stitch
