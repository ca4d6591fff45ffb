// SPDX-License-Identifier: Apache-2.0
// The input of a convolution as fp16: words of two channels at one place, planes of words one after the other, rows
// padded with zeros to whole runs of four words. fp16 has TF32's eleven significant bits and is multiplied twice as
// fast; what it asks for is a power of two that brings an image's elements into its range. A few elements of an image
// say which; where packing then finds larger ones, the image is packed again.
#pragma once

#include "kernels/conv/patch_axes.cuh"
#include "kernels/gemm/fp16_scale.cuh"
#include "ptx/convert.cuh"

namespace stitch {

namespace patch_detail {

// What is known of an image's elements.
struct ImageRange {
  float scale;              // by a few of them
  uint32_t largest;         // bits of the largest finite magnitude of all
  uint32_t has_small;       // places all of whose elements lost bits when they were packed
  uint32_t has_small_then;  // the same when they were packed again

  __device__ __forceinline__ bool is_packed_again() const {
    constexpr float kMost = 65504.0f, kLeast = 16.0f;
    const float scaled = __uint_as_float(largest) * scale;
    return largest != 0 && !(scaled <= kMost && scaled >= kLeast);
  }
  // NaN where fp16 does not hold the image.
  __device__ __forceinline__ float unscale() const {
    const bool again = is_packed_again();
    const bool is_held = (again ? has_small_then : has_small) == 0;
    const float held = again ? fp16_scale(largest).unscale : 1.0f / scale;
    return is_held ? held : __uint_as_float(fp16_detail::kNan);
  }
};

// Planes of words, those of a group one after the other.
struct WordPlanes {
  int64_t words;        // of a group, at each place
  int64_t rows;         // of a plane
  int64_t runs_of_row;  // of four words

  __host__ explicit WordPlanes(const ConvShape& shape)
      : words(ceil_divide(shape.in_channels / shape.groups, 2)),
        rows(shape.depth * shape.height),
        runs_of_row(ceil_divide(shape.width, 4)) {}

  __host__ __device__ int64_t runs_of_plane() const { return rows * runs_of_row; }
  __host__ __device__ int64_t plane_stride() const { return runs_of_plane() * 4; }
  __host__ int64_t bytes(const ConvShape& shape) const {
    return shape.batch * shape.groups * words * plane_stride() * int64_t{sizeof(uint32_t)};
  }
};

// A block looks at some elements of its image, anywhere in it.
__device__ __forceinline__ void sample_image(const float* image, int64_t elements, ImageRange& range) {
  constexpr int kSamples = 16;    // of each thread
  constexpr int kLargestAt = 11;  // exponent of the largest sample once scaled: others may be 16 times as large
  __shared__ uint32_t of_warp[32];
  const int64_t threads = blockDim.x;
  const int64_t step = ceil_divide(elements, threads * kSamples);
  uint32_t largest = 0;
#pragma unroll
  for (int i = 0; i < kSamples; ++i) {
    const int64_t at = (i * threads + threadIdx.x) * step;
    largest = max(largest, at < elements ? finite_magnitude_bits(image[at]) : 0);
  }
  largest = __reduce_max_sync(kFullWarp, largest);
  if (threadIdx.x % 32 == 0) {
    of_warp[threadIdx.x / 32] = largest;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned warp = 1; warp < blockDim.x / 32; ++warp) {
      largest = max(largest, of_warp[warp]);
    }
    const float scale = fp16_scale(largest, kLargestAt).scale;
    range = {scale != 0 ? scale : 1.0f, 0, 0, 0};
  }
}

constexpr int kPackThreads = 256;
constexpr int kPackWarps = kPackThreads / 32;

// Which runs of which planes a block packs: kRunsOfThread * 32 for each `warps_of_run` of its warps, which share the
// words of a run.
constexpr int kRunsOfThread = 4;
constexpr int kPlacesOfRun = 4;

struct PackSteps {
  int64_t blocks_of_plane;
  int64_t blocks;
  int warps_of_run;

  __host__ PackSteps(const ConvShape& shape, const WordPlanes& planes) : warps_of_run(1) {
    while (warps_of_run < kPackWarps && 2 * warps_of_run <= planes.words) {
      warps_of_run *= 2;
    }
    blocks_of_plane = ceil_divide(planes.runs_of_plane(), int64_t{32} * kRunsOfThread * (kPackWarps / warps_of_run));
    blocks = shape.batch * shape.groups * blocks_of_plane;
  }
};

// Four places of a row of one channel.
template <bool kWide>
__device__ __forceinline__ float4 load_run(const float* from, int64_t places, bool is_there) {
  if constexpr (kWide) {
    return is_there ? *reinterpret_cast<const float4*>(from) : make_float4(0, 0, 0, 0);
  } else {
    return make_float4(is_there && places > 0 ? from[0] : 0, is_there && places > 1 ? from[1] : 0,
                       is_there && places > 2 ? from[2] : 0, is_there && places > 3 ? from[3] : 0);
  }
}

__device__ __forceinline__ uint32_t largest_finite(const float4& four) {
  return max(max(finite_magnitude_bits(four.x), finite_magnitude_bits(four.y)),
             max(finite_magnitude_bits(four.z), finite_magnitude_bits(four.w)));
}

__device__ __forceinline__ uint4 packed(const float4& low, const float4& high, float scale) {
  return make_uint4(ptx::pack_fp16x2(low.x * scale, high.x * scale), ptx::pack_fp16x2(low.y * scale, high.y * scale),
                    ptx::pack_fp16x2(low.z * scale, high.z * scale), ptx::pack_fp16x2(low.w * scale, high.w * scale));
}

// What is seen of a place: an element that is not zero, and one that fp16 holds with all its bits. Eight bits a run.
constexpr int kFlagsOfPlace = 2;
constexpr uint32_t kNonzero = 1, kHeld = 2;

// Of two channels at one place, as they are and as they were packed.
__device__ __forceinline__ uint32_t seen_of_place(uint32_t word, float low, float high) {
  constexpr uint32_t kExponents = 0x7c007c00u;  // 0 of what is below 2^-14
  const bool is_nonzero = magnitude_bits(low) != 0 || magnitude_bits(high) != 0;
  return ((word & kExponents) != 0 ? kHeld : 0u) | (is_nonzero ? kNonzero : 0u);
}

__device__ __forceinline__ uint32_t seen_of_run(const uint4& words, const float4& low, const float4& high) {
  return seen_of_place(words.x, low.x, high.x) | seen_of_place(words.y, low.y, high.y) << kFlagsOfPlace |
         seen_of_place(words.z, low.z, high.z) << 2 * kFlagsOfPlace |
         seen_of_place(words.w, low.w, high.w) << 3 * kFlagsOfPlace;
}

using SeenByBlock = uint32_t[kPackThreads];

// Returns whether there is a place in this thread's runs all of whose elements are too small, zeros apart: a window of
// such places alone would be summed up with too few bits. All threads of a block are at the call.
__device__ __forceinline__ bool has_small_place(uint32_t seen, int warps_of_run, SeenByBlock& seen_by) {
  constexpr uint32_t kAllNonzero = 0x55555555u;
  seen_by[threadIdx.x] = seen;
  __syncthreads();
  const int first = static_cast<int>(threadIdx.x) / 32 / warps_of_run * warps_of_run;
  for (int warp = first; warp < first + warps_of_run; ++warp) {
    seen |= seen_by[warp * 32 + static_cast<int>(threadIdx.x) % 32];
  }
  return (seen & ~(seen >> 1) & kAllNonzero) != 0;
}

// Where a thread's runs lie in a plane: kRunsOfThread, 32 apart.
struct OwnRuns {
  int64_t first;
  int64_t count;  // of the plane

  __device__ __forceinline__ bool has(int i) const { return first + i * 32 < count; }
};

// Packs the runs of a block and counts them in with their image's range.
template <bool kWide, bool kAgain>
__device__ __forceinline__ void pack_block(const ConvShape& shape, const WordPlanes& planes, const PackSteps& steps,
                                           const float* input, uint4* to_words, ImageRange* ranges, int64_t block,
                                           SeenByBlock& seen_by) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int64_t image_group = block / steps.blocks_of_plane;
  ImageRange& range = ranges[image_group / shape.groups];
  if (kAgain && !range.is_packed_again()) {
    return;
  }
  const float scale = kAgain ? fp16_scale(range.largest).scale : range.scale;
  const int64_t chunk = block % steps.blocks_of_plane * (kPackWarps / steps.warps_of_run) + warp / steps.warps_of_run;
  const OwnRuns own{chunk * 32 * kRunsOfThread + lane, planes.runs_of_plane()};
  const int64_t inputs = shape.in_channels / shape.groups;
  const int64_t plane = planes.rows * shape.width;
  const float* const from = input + image_group * inputs * plane;
  uint4* const to = to_words + image_group * planes.words * own.count;
  int64_t offset[kRunsOfThread];  // in a plane of the input
  int64_t places[kRunsOfThread];  // of the row that are left there
#pragma unroll
  for (int i = 0; i < kRunsOfThread; ++i) {
    const int64_t run = own.first + i * 32;
    const int64_t x = run % planes.runs_of_row * 4;
    offset[i] = kWide ? run * 4 : run / planes.runs_of_row * shape.width + x;
    places[i] = shape.width - x;
  }
  uint32_t largest = 0;
  uint32_t seen = 0;
#pragma unroll 1
  for (int64_t word = warp % steps.warps_of_run; word < planes.words; word += steps.warps_of_run) {
    const bool is_high = 2 * word + 1 < inputs;
    const float* const first = from + 2 * word * plane;
    float4 low[kRunsOfThread];
    float4 high[kRunsOfThread];
#pragma unroll
    for (int i = 0; i < kRunsOfThread; ++i) {
      low[i] = load_run<kWide>(first + offset[i], places[i], own.has(i));
      high[i] = load_run<kWide>(first + plane + offset[i], places[i], own.has(i) && is_high);
    }
#pragma unroll
    for (int i = 0; i < kRunsOfThread; ++i) {
      if (own.has(i)) {
        const uint4 words = packed(low[i], high[i], scale);
        to[word * own.count + own.first + i * 32] = words;
        largest = max(largest, max(largest_finite(low[i]), largest_finite(high[i])));
        seen |= seen_of_run(words, low[i], high[i]) << i * kPlacesOfRun * kFlagsOfPlace;
      }
    }
  }
  if (has_small_place(seen, steps.warps_of_run, seen_by)) {
    atomicMax(kAgain ? &range.has_small_then : &range.has_small, 1u);
  }
  if constexpr (!kAgain) {
    largest = __reduce_max_sync(kFullWarp, largest);
    if (lane == 0 && largest != 0) {
      atomicMax(&range.largest, largest);
    }
  }
}

constexpr int64_t kMostBlocksAgain = 1056;

// All threads of a block are at the call.
__device__ __forceinline__ bool is_any_packed_again(const ConvShape& shape, const ImageRange* ranges) {
  bool is_needed = false;
  for (int64_t image = threadIdx.x; image < shape.batch; image += kPackThreads) {
    is_needed |= ranges[image].is_packed_again();
  }
  return __syncthreads_or(is_needed ? 1 : 0) != 0;
}

template <bool kWide>
__global__ void __launch_bounds__(kPackThreads) pack_kernel(ConvShape shape, WordPlanes planes, PackSteps steps,
                                                            const float* input, uint4* words, ImageRange* ranges) {
  __shared__ SeenByBlock seen_by;
  pack_block<kWide, false>(shape, planes, steps, input, words, ranges, blockIdx.x, seen_by);
}

template <bool kWide>
__global__ void __launch_bounds__(kPackThreads)
    pack_again_kernel(ConvShape shape, WordPlanes planes, PackSteps steps, const float* input, uint4* words,
                      ImageRange* ranges) {
  __shared__ SeenByBlock seen_by;
  if (!is_any_packed_again(shape, ranges)) {
    return;
  }
  for (int64_t block = blockIdx.x; block < steps.blocks; block += gridDim.x) {
    pack_block<kWide, true>(shape, planes, steps, input, words, ranges, block, seen_by);
    __syncthreads();  // what was seen is written over
  }
}

// Behind the launch that has sampled the images.
inline cudaError_t launch_pack(const ConvShape& shape, const float* input, uint4* words, ImageRange* ranges,
                               cudaStream_t stream) {
  const WordPlanes planes(shape);
  const PackSteps steps(shape, planes);
  if (steps.blocks == 0) {
    return cudaSuccess;
  }
  const bool is_wide = shape.width % 4 == 0 && reinterpret_cast<uintptr_t>(input) % sizeof(float4) == 0;
  const auto pack = is_wide ? pack_kernel<true> : pack_kernel<false>;
  pack<<<static_cast<unsigned>(steps.blocks), kPackThreads, 0, stream>>>(shape, planes, steps, input, words, ranges);
  const auto again = is_wide ? pack_again_kernel<true> : pack_again_kernel<false>;
  const int64_t blocks = steps.blocks < kMostBlocksAgain ? steps.blocks : kMostBlocksAgain;
  again<<<static_cast<unsigned>(blocks), kPackThreads, 0, stream>>>(shape, planes, steps, input, words, ranges);
  return cudaGetLastError();
}

}  // namespace patch_detail

}  // namespace stitch
