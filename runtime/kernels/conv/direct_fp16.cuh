// SPDX-License-Identifier: Apache-2.0
// Direct convolution of at most eight input channels on the tensor cores, fp32 class by three fp16 products: a block
// keeps the taps of its output channels in shared memory, split into two fp16 parts, and takes patch after patch of the
// input there, with all planes of the window, the next one while it multiplies the last. A patch is split once, and
// each tap reads its pixels where they lie: nothing is gathered. K runs through input channels first, so that a slice
// of sixteen is four taps of four channels or two of eight, of which a lane reads four channels of one tap at once.
//
// Partial sums are promoted every 64 of K, twelve products on one accumulator: see Tf32x3.
#pragma once

#include "kernels/conv/direct_fp16_operands.cuh"

namespace stitch {

namespace direct_fp16_detail {

template <typename Tile>
using Sums = MmaSums<Tile::tiles, 4 * Tile::lines_of_warp>;

// A warp's second line lies beside its first, or below.
template <typename Tile>
constexpr bool kIsBeside = Tile::across > 1;

template <typename Tile, typename Multiply>
__device__ __forceinline__ void for_each_sum(const Multiply& multiply) {
#pragma unroll
  for (int i = 0; i < Tile::tiles; ++i) {
#pragma unroll
    for (int j = 0; j < 4 * Tile::lines_of_warp; ++j) {
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        multiply(i, j, k);
      }
    }
  }
}

// This lane's channels of one tap, of all its warp's pixels; `part` begins with the first's.
template <typename Tile, typename Window>
__device__ __forceinline__ void read_pixels(const unsigned char* part, uint32_t (&pixels)[4 * Tile::lines_of_warp][2]) {
  using Patch = Stage<Tile, Window>;
  constexpr int kToNextLine = kIsBeside<Tile> ? kColumns * Window::stride_x : Window::stride_y * Patch::pitch;
#pragma unroll
  for (int j = 0; j < 4 * Tile::lines_of_warp; ++j) {
    const int pixel = j % 4 * 8 * Window::stride_x + j / 4 * kToNextLine;
    const uint2 words = *reinterpret_cast<const uint2*>(part + pixel * Patch::pixel_bytes);
    pixels[j][0] = words.x;
    pixels[j][1] = words.y;
  }
}

__device__ __forceinline__ void read_weights(const uint4* at, uint32_t (&weights)[4]) {
  const uint4 words = *at;
  weights[0] = words.x, weights[1] = words.y, weights[2] = words.z, weights[3] = words.w;
}

// One slice of K: `pixels` is this lane's first, `weights` this lane's words of its warp's first channels.
template <typename Tile, typename Window>
__device__ __forceinline__ void multiply_slice(const unsigned char* pixels, const uint4* weights, Sums<Tile>& sums) {
  constexpr int kRows = Tile::tiles % 2 == 0 ? 2 : 1;
  constexpr int kColumnTiles = 4 * Tile::lines_of_warp;
  uint32_t upper_pixels[kColumnTiles][2];
  uint32_t lower_pixels[kColumnTiles][2];
  read_pixels<Tile, Window>(pixels, upper_pixels);
  read_pixels<Tile, Window>(pixels + Stage<Tile, Window>::part_bytes, lower_pixels);
#pragma unroll
  for (int first = 0; first < Tile::tiles; first += kRows) {
    uint32_t upper[kRows][4];
    uint32_t lower[kRows][4];
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      read_weights(weights + (first + i) * 64, upper[i]);
      read_weights(weights + (first + i) * 64 + 32, lower[i]);
    }
    // Small terms first; all products of one kind together, since a chain on one accumulator waits for itself.
    mma_detail::for_each_product<kRows, kColumnTiles>(
        [&](int i, int j) { ptx::mma_m16n8k16_fp16(sums[first + i][j], lower[i], upper_pixels[j]); });
    mma_detail::for_each_product<kRows, kColumnTiles>(
        [&](int i, int j) { ptx::mma_m16n8k16_fp16(sums[first + i][j], upper[i], lower_pixels[j]); });
    mma_detail::for_each_product<kRows, kColumnTiles>(
        [&](int i, int j) { ptx::mma_m16n8k16_fp16(sums[first + i][j], upper[i], upper_pixels[j]); });
  }
}

// Slices that are promoted together.
template <int kCount, typename Tile, typename Window>
__device__ __forceinline__ void add_group(const unsigned char* pixels, const uint4* weights, const int* offsets,
                                          Sums<Tile>& sums) {
  Sums<Tile> partial = {};
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    multiply_slice<Tile, Window>(pixels + offsets[i * 4], weights + i * Stage<Tile, Window>::words_of_slice, partial);
  }
  for_each_sum<Tile>([&](int i, int j, int k) { sums[i][j][k] += partial[i][j][k]; });
}

template <typename Tile, typename Window>
__device__ __forceinline__ void multiply(const unsigned char* pixels, const uint4* weights, const int* offsets,
                                         Sums<Tile>& sums) {
  using Patch = Stage<Tile, Window>;
  constexpr int kGroups = Patch::slices / kSlicesOfGroup;
  constexpr int kLeft = Patch::slices % kSlicesOfGroup;
#pragma unroll 1
  for (int group = 0; group < kGroups; ++group) {
    add_group<kSlicesOfGroup, Tile, Window>(pixels, weights + group * kSlicesOfGroup * Patch::words_of_slice,
                                            offsets + group * kSlicesOfGroup * 4, sums);
  }
  if constexpr (kLeft > 0) {
    add_group<kLeft, Tile, Window>(pixels, weights + kGroups * kSlicesOfGroup * Patch::words_of_slice,
                                   offsets + kGroups * kSlicesOfGroup * 4, sums);
  }
}

template <typename Tile>
__device__ __forceinline__ bool are_all_finite(const Sums<Tile>& sums) {
  float probe = 0;  // 0, or NaN
  for_each_sum<Tile>([&](int i, int j, int k) { probe = fmaf(sums[i][j][k], 0.0f, probe); });
  return probe == 0;
}

// One row of a warp's pixels goes to the epilogue, eight channels at a time. `place`: of this lane's pixel.
template <int kRow, typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_row(const ConvShape& shape, const Epilogue& epilogue, const Place& place,
                                           int first_channel, const Sums<Tile>& sums, float* staged) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const PixelPlace pixel{place.image, place.z, place.y, place.x};
#pragma unroll
  for (int eight = 0; eight < Tile::tiles * 2; ++eight) {
    __syncwarp();  // all have read what is written over
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const auto& from = sums[eight / 2][kRow * 4 + j];
      *reinterpret_cast<float2*>(staged + lane / 4 * kStagedPitch + j * 8 + lane % 4 * 2) =
          make_float2(from[eight % 2 * 2], from[eight % 2 * 2 + 1]);
    }
    __syncwarp();
    const int channel = first_channel + eight * 8;
    if (place.x >= shape.out_width) {
      continue;
    }
    if (channel + 8 <= shape.out_channels) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        finish_pixel<Window::rank>(epilogue, pixel, channel + i, staged[i * kStagedPitch + lane]);
      }
    } else {
#pragma unroll 1
      for (int i = 0; channel + i < shape.out_channels; ++i) {
        finish_pixel<Window::rank>(epilogue, pixel, channel + i, staged[i * kStagedPitch + lane]);
      }
    }
  }
}

// All of a warp's outputs by plain arithmetic, one row after the other: what two parts do not hold, or may not.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_again(const Source& source, const Epilogue& epilogue, const Place& place,
                                             int first_channel) {
  if (place.y >= source.shape.out_height || place.x >= source.shape.out_width) {
    return;
  }
#pragma unroll 1
  for (int channel = first_channel; channel < first_channel + Tile::tiles * 16 && channel < source.shape.out_channels;
       ++channel) {
    finish_pixel<Window::rank>(
        epilogue, {place.image, place.z, place.y, place.x}, channel,
        direct_mma_detail::sum_again<Window>(source.shape, source.planes, source.input, source.weight, place, channel));
  }
}

// A lane's pixel in the warp's second row.
template <typename Tile>
__device__ __forceinline__ Place next_row(const Place& place) {
  return {place.image, place.z, place.y + (kIsBeside<Tile> ? 0 : 1), place.x + (kIsBeside<Tile> ? kColumns : 0)};
}

// `place`: of this lane's pixel in the warp's first row.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void store_warp(const Source& source, const Epilogue& epilogue, const Place& place,
                                           int first_channel, const Sums<Tile>& sums, float* staged) {
  finish_row<0, Tile, Window>(source.shape, epilogue, place, first_channel, sums, staged);
  if constexpr (Tile::lines_of_warp == 2) {
    const Place next = next_row<Tile>(place);
    if (next.y < source.shape.out_height) {
      finish_row<1, Tile, Window>(source.shape, epilogue, next, first_channel, sums, staged);
    }
  }
}

// What becomes of a warp's sums: specialised for what is kept from patch to patch.
template <typename Epilogue>
struct WarpFinish {
  template <typename Tile, typename Window>
  __device__ __forceinline__ void finish(const Source& source, const Epilogue& epilogue, const Place& place,
                                         int first_channel, const Sums<Tile>& sums, float* staged) {
    if (__all_sync(kFullWarp, are_all_finite<Tile>(sums))) {
      store_warp<Tile, Window>(source, epilogue, place, first_channel, sums, staged);
      return;
    }
    finish_again<Tile, Window>(source, epilogue, place, first_channel);
    if constexpr (Tile::lines_of_warp == 2) {
      finish_again<Tile, Window>(source, epilogue, next_row<Tile>(place), first_channel);
    }
  }
};

// Patches of an output channel, numbered, and how many of them a block takes.
template <int kRank>
struct Steps {
  PixelIndex<kRank> patches;
  int64_t count;
  int64_t of_block;
};

// A block's shared memory.
template <typename Tile, typename Window>
struct Memory {
  using Patch = Stage<Tile, Window>;
  unsigned char* shared;

  __device__ __forceinline__ uint4* weights() const { return reinterpret_cast<uint4*>(shared); }
  __device__ __forceinline__ unsigned char* parts() const { return shared + Patch::parts_at; }
  __device__ __forceinline__ float* staged(int warp) const {
    return reinterpret_cast<float*>(shared + Patch::staged_at) + warp * Tile::staged_floats;
  }
  __device__ __forceinline__ int* offsets() const { return reinterpret_cast<int*>(shared + Patch::offsets_at); }
  __device__ __forceinline__ int* elements() const { return reinterpret_cast<int*>(shared + Patch::elements_at); }
  __device__ __forceinline__ float* unscale() const { return reinterpret_cast<float*>(shared + Patch::unscale_at); }
  // The largest magnitude that each warp has seen, and of two patches how many small elements they have.
  __device__ __forceinline__ uint32_t* largest() const { return reinterpret_cast<uint32_t*>(shared + Patch::marks_at); }
  __device__ __forceinline__ int* small(int number) const {
    return reinterpret_cast<int*>(shared + Patch::marks_at) + Tile::warps + number % 2;
  }
  __device__ __forceinline__ float* raw() const { return reinterpret_cast<float*>(shared + Patch::raw_at); }
};

// Splits the patch that has been copied. Returns 1 / scale, NaN where two parts do not hold it. What was copied may
// then be overwritten.
template <typename Tile, typename Window>
__device__ __forceinline__ float take_patch(const Memory<Tile, Window>& memory, int channels, int number) {
  const uint32_t own = __reduce_max_sync(kFullWarp, largest_of_own<Tile, Window>(memory.raw(), channels));
  if (threadIdx.x % 32 == 0) {
    memory.largest()[threadIdx.x / 32] = own;
  }
  __syncthreads();  // all of the patch is there, and the one before it has been multiplied
  uint32_t largest = memory.largest()[0];
#pragma unroll
  for (int warp = 1; warp < Tile::warps; ++warp) {
    largest = max(largest, memory.largest()[warp]);
  }
  const Fp16Scale scale = fp16_scale(largest);
  const int small = split_patch<Tile, Window>(memory.raw(), channels, scale.scale, memory.parts());
  if (small > 0) {
    atomicAdd(memory.small(number), small);
  }
  if (threadIdx.x == 0) {
    *memory.small(number + 1) = 0;
  }
  __syncthreads();  // all of it is split
  return suffers<Window>(*memory.small(number), channels) ? __uint_as_float(fp16_detail::kNan) : scale.unscale;
}

// A warp multiplies its lines of a patch, some after the others. `place`: the patch's.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void multiply_patch(const Source& source, const Epilogue& epilogue,
                                               const Memory<Tile, Window>& memory, const Place& place, float unscale,
                                               WarpFinish<Epilogue>& own) {
  using Patch = Stage<Tile, Window>;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int first_tile = warp % Tile::warps_of_channels * Tile::tiles;
  const float* const unscale_of = memory.unscale() + first_tile * 16 + lane / 4;
#pragma unroll 1
  for (int line = warp / Tile::warps_of_channels * Tile::lines_of_warp; line < Tile::lines;
       line += Tile::warps_of_pixels * Tile::lines_of_warp) {
    const int z = line / Tile::across / Tile::rows;
    const int y = line / Tile::across % Tile::rows;
    const int x = line % Tile::across * kColumns;
    if (place.z + z >= source.shape.out_depth || place.y + y >= source.shape.out_height ||
        place.x + x >= source.shape.out_width) {
      continue;
    }
    const int pixel = z * Window::stride_z * Patch::plane + y * Window::stride_y * Patch::pitch +
                      (x + lane / 4) * Window::stride_x + Patch::lead;
    Sums<Tile> sums = {};
    multiply<Tile, Window>(memory.parts() + pixel * Patch::pixel_bytes, memory.weights() + first_tile * 64 + lane,
                           memory.offsets() + lane % 4, sums);
    for_each_sum<Tile>([&](int i, int j, int k) { sums[i][j][k] *= unscale_of[i * 16 + k / 2 * 8] * unscale; });
    own.template finish<Tile, Window>(source, epilogue, {place.image, place.z + z, place.y + y, place.x + x + lane},
                                      static_cast<int>(blockIdx.y) * Tile::channels + first_tile * 16, sums,
                                      memory.staged(warp));
  }
}

template <typename Tile, typename Window>
__device__ __forceinline__ void load_weights(const Source& source, const Memory<Tile, Window>& memory,
                                             int first_channel) {
  if constexpr (Tile::is_by_words) {
    fill_word_offsets<Tile, Window>(memory.offsets());
    fill_elements(memory);
  } else {
    fill_offsets<Tile, Window>(memory.offsets());
  }
  scale_channels<Tile, Window>(source, first_channel, memory.unscale());
  if (threadIdx.x == 0) {
    *memory.small(0) = 0;
  }
  __syncthreads();
  if constexpr (Tile::is_by_words) {
    fill_word_weights<Tile, Window>(source, first_channel, memory.unscale(), memory.weights());
  } else {
    fill_weights<Tile, Window>(source, first_channel, memory.unscale(), memory.weights());
  }
}

// Blocks of a multiprocessor, as shared memory and registers of the sums have room.
template <typename Tile, typename Window>
constexpr int blocks_of_multiprocessor() {
  constexpr int kKibibytes = 227;
  constexpr int kWarps = 2 * Tile::sums_of_lane > 64 ? 8 : 16;
  constexpr int kChannels = Tile::input_channels == 4 ? 3 : Tile::input_channels;  // as images have them
  constexpr int kOfMemory = kKibibytes * 1024 / (Stage<Tile, Window>::shared_bytes(kChannels) + 1024);
  constexpr int kOfRegisters = kWarps / Tile::warps;
  return kOfMemory < 1 ? 1 : (kOfMemory < kOfRegisters ? kOfMemory : kOfRegisters);
}

template <typename Tile, typename Window, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, (blocks_of_multiprocessor<Tile, Window>()))
    direct_fp16_kernel(Source source, Epilogue epilogue, Steps<Window::rank> steps) {
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  const Memory<Tile, Window> memory{shared_bytes};
  const auto channels = static_cast<int>(source.shape.in_channels);
  const int first_channel = static_cast<int>(blockIdx.y) * Tile::channels;
  const int64_t first = int64_t{blockIdx.x} * steps.of_block;
  const int64_t left = steps.count - first;
  const auto count = static_cast<int>(left < steps.of_block ? left : steps.of_block);
  const auto place_of = [&](int number) {
    const PixelPlace patch = steps.patches.place(first + number);
    return Place{patch.n * Tile::images, static_cast<int>(patch.z) * Tile::depth,
                 static_cast<int>(patch.y) * Tile::rows, static_cast<int>(patch.x) * Tile::columns};
  };
  Place place = place_of(0);
  load_patch<Tile, Window>(source, place, memory.raw());
  ptx::cp_async_commit();
  load_weights<Tile, Window>(source, memory, first_channel);
  WarpFinish<Epilogue> own;
#pragma unroll 1
  for (int number = 0; number < count; ++number) {
    ptx::cp_async_wait<0>();
    const float unscale = take_patch(memory, channels, number);
    const Place next = place_of(number + 1 < count ? number + 1 : number);
    if (number + 1 < count) {
      load_patch<Tile, Window>(source, next, memory.raw());
      ptx::cp_async_commit();
    }
    if constexpr (requires { own.template begin_image<Tile>(source.shape, epilogue, place.image); }) {
      own.template begin_image<Tile>(source.shape, epilogue, place.image);
    }
    multiply_patch<Tile, Window>(source, epilogue, memory, place, unscale, own);
    place = next;
  }
  if constexpr (requires { own.template end<Tile>(source.shape, epilogue); }) {
    own.template end<Tile>(source.shape, epilogue);
  }
}

// How a problem's patches are shared out: one wave of blocks, each with as many.
struct Shares {
  int64_t deep;
  int64_t down;
  int64_t across;
  int64_t count;  // of all images
  int64_t blocks_of_channels;
  int64_t of_block;

  template <typename Tile, typename Window>
  static Shares of(const ConvShape& shape) {
    constexpr int64_t kBlocksAtOnce = 132 * blocks_of_multiprocessor<Tile, Window>();  // of an H200
    Shares shares{ceil_divide(shape.out_depth, Tile::depth),
                  ceil_divide(shape.out_height, Tile::rows),
                  ceil_divide(shape.out_width, Tile::across * kColumns),
                  0,
                  ceil_divide(shape.out_channels, Tile::channels),
                  1};
    shares.count = shape.batch * shares.of_image();
    const int64_t of_block = ceil_divide(shares.count * shares.blocks_of_channels, kBlocksAtOnce);
    shares.of_block = of_block > 0 ? of_block : 1;
    return shares;
  }
  int64_t of_image() const { return deep * down * across; }
};

}  // namespace direct_fp16_detail

// Needs shape.groups == 1 and no more input channels than the tile takes.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_direct_fp16(const ConvShape& shape, const float* input, const float* weight,
                                    const Epilogue& epilogue, cudaStream_t stream) {
  using Patch = direct_fp16_detail::Stage<Tile, Window>;
  if (shape.groups != 1 || shape.in_channels > Tile::input_channels) {
    return cudaErrorInvalidValue;
  }
  const auto shares = direct_fp16_detail::Shares::of<Tile, Window>(shape);
  if (shares.count == 0 || shape.out_channels == 0) {
    return cudaSuccess;
  }
  const direct_fp16_detail::Steps<Window::rank> steps{PixelIndex<Window::rank>(shares.deep, shares.down, shares.across),
                                                      shares.count, shares.of_block};
  auto kernel = direct_fp16_detail::direct_fp16_kernel<Tile, Window, Epilogue>;
  const int shared_bytes = Patch::shared_bytes(static_cast<int>(shape.in_channels));
  const cudaError_t error = allow_shared_memory(kernel, shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const bool by_four =
      shape.width % direct_fp16_detail::kLanes == 0 && reinterpret_cast<uintptr_t>(input) % sizeof(float4) == 0;
  const direct_fp16_detail::Source source{shape, input_planes(shape), input, weight, by_four};
  const dim3 blocks(static_cast<unsigned>(ceil_divide(shares.count, shares.of_block)),
                    static_cast<unsigned>(shares.blocks_of_channels));
  kernel<<<blocks, Tile::threads, shared_bytes, stream>>>(source, epilogue, steps);
  return cudaGetLastError();
}

}  // namespace stitch
