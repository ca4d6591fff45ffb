// SPDX-License-Identifier: Apache-2.0
// Direct convolution of at most eight input channels and strides of one by wgmma (sm_90a), fp32 class by three fp16
// products; outputs are stored as pieces of memory that reach over the ends of rows. A block keeps the taps of 64
// output channels in shared memory and takes patch after patch of whole rows, the next one while it multiplies the
// last. A warp lays the outputs of eight channels in shared memory as they lie in memory, one row behind the other, and
// stores them by four from whatever aligned element they begin at. Scales are those of direct_fp16.cuh.
//
// The small products of a sum come first, all of them, and the large ones last: see direct_wgmma.cuh.
#pragma once

#include "kernels/conv/direct_rows_finish.cuh"

namespace stitch {

namespace direct_rows_detail {

template <int kColumns>
__device__ __forceinline__ void multiply_columns(float (&sums)[kColumns / 2], uint64_t a, uint64_t b, bool accumulate) {
  if constexpr (kColumns == 128) {
    ptx::wgmma_m64n128k16_f16(sums, a, b, accumulate);
  } else {
    static_assert(kColumns == 64);
    ptx::wgmma_m64n64k16_f16(sums, a, b, accumulate);
  }
}

// Slices [first, first + count): sums = their products.
template <typename Tile, typename Window>
__device__ __forceinline__ void multiply_slices(const Layout<Tile, Window>& layout, uint64_t weights, uint64_t places,
                                                int first, int count, RowSums<Tile, Window>& sums) {
  constexpr int kUnit = 16, kColumns = Places<Tile, Window>::columns;
  const uint64_t to_lower = static_cast<uint64_t>(layout.part_bytes / kUnit);
  ptx::wgmma_forget(sums);
  ptx::wgmma_fence();
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int slice = first + i;
    const uint64_t a = weights + static_cast<uint64_t>(slice * kSliceBytes / kUnit);
    const uint64_t b = places + layout.offset[slice] + (uint64_t{layout.along_k[slice]} << 16);
    multiply_columns<kColumns>(sums, a + kPartOfSlice / kUnit, b, i > 0);
    multiply_columns<kColumns>(sums, a, b + to_lower, true);
  }
#pragma unroll
  for (int i = 0; i < count; ++i) {
    const int slice = first + i;
    multiply_columns<kColumns>(sums, weights + static_cast<uint64_t>(slice * kSliceBytes / kUnit),
                               places + layout.offset[slice] + (uint64_t{layout.along_k[slice]} << 16), true);
  }
  ptx::wgmma_commit();
  ptx::wgmma_wait<0>();
  ptx::wgmma_pin(sums);
}

// `places`: the operand of the product's first place and first tap.
template <typename Tile, typename Window>
__device__ __forceinline__ void multiply(const Layout<Tile, Window>& layout, uint64_t weights, uint64_t places,
                                         RowSums<Tile, Window>& sums) {
  using Own = Places<Tile, Window>;
  multiply_slices<Tile, Window>(layout, weights, places, 0, Own::slices_of_group, sums);
#pragma unroll
  for (int group = 1; group < Own::groups; ++group) {
    const int first = group * Own::slices_of_group;
    const int left = Own::slices - first;
    RowSums<Tile, Window> partial;
    multiply_slices<Tile, Window>(layout, weights, places, first,
                                  left < Own::slices_of_group ? left : Own::slices_of_group, partial);
#pragma unroll
    for (int i = 0; i < Own::columns / 2; ++i) {
      sums[i] += partial[i];
    }
  }
}

// A block's shared memory.
template <typename Tile, typename Window>
struct Memory {
  unsigned char* shared;
  const Layout<Tile, Window>& layout;

  __device__ __forceinline__ unsigned char* weights() const { return shared; }
  __device__ __forceinline__ unsigned char* parts() const { return shared + layout.parts_at(); }
  __device__ __forceinline__ float* staged(int warp) const {
    return reinterpret_cast<float*>(shared + layout.staged_at()) + warp * kEight * kStagedPitch;
  }
  __device__ __forceinline__ float* unscale() const { return reinterpret_cast<float*>(shared + layout.unscale_at()); }
  // The largest magnitude that each warp has seen, and of two patches how many small elements they have.
  __device__ __forceinline__ uint32_t* largest() const {
    return reinterpret_cast<uint32_t*>(shared + layout.marks_at());
  }
  __device__ __forceinline__ int* small(int number) const {
    return reinterpret_cast<int*>(shared + layout.marks_at()) + Tile::warps + number % 2;
  }
  __device__ __forceinline__ float* raw() const { return reinterpret_cast<float*>(shared + layout.raw_at()); }
};

// Splits the patch that has been copied. Returns 1 / scale, NaN where two parts do not hold it. What was copied may
// then be overwritten.
template <typename Tile, typename Window>
__device__ __forceinline__ float take_patch(const Memory<Tile, Window>& memory, int channels, int number) {
  const uint32_t own =
      __reduce_max_sync(kFullWarp, largest_of_own<Tile, Window>(memory.layout, memory.raw(), channels));
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
  const int small = split_rows<Tile, Window>(memory.layout, memory.raw(), channels, scale.scale, memory.parts());
  if (small > 0) {
    atomicAdd(memory.small(number), small);
  }
  if (threadIdx.x == 0) {
    *memory.small(number + 1) = 0;
  }
  ptx::wgmma_publish_operands();
  __syncthreads();  // all of it is split
  return direct_fp16_detail::suffers<Window>(*memory.small(number), channels) ? __uint_as_float(fp16_detail::kNan)
                                                                              : scale.unscale;
}

// A warpgroup multiplies its products of a patch, some after the others.
template <typename Tile, typename Window, typename Finish>
__device__ __forceinline__ void multiply_patch(const Source& source, const Finish& finish,
                                               const Memory<Tile, Window>& memory, const Place& place, float unscale,
                                               typename Finish::Kept& kept) {
  using Own = Places<Tile, Window>;
  const Layout<Tile, Window>& layout = memory.layout;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int row = warp % 4 * 16 + static_cast<int>(threadIdx.x) % 32 / 4;
  const uint64_t weights = ptx::wgmma_operand_of_cores(memory.weights(), kHalfOfSlice, kEight * kPlaceBytes);
  const uint64_t places = ptx::wgmma_operand_of_cores(memory.parts(), 0, kEight * kPlaceBytes);
#pragma unroll 1
  for (int number = warp / 4; number < Tile::depth * layout.of_plane; number += Tile::groups) {
    const int z = Tile::depth == 1 ? 0 : number / layout.of_plane;
    const int first = layout.first_place(number - z * layout.of_plane);
    const Place of_z{place.image, place.z + z, place.y, 0};
    const Run run(source.shape, layout, of_z, first);
    if (of_z.z >= source.shape.out_depth || run.count <= 0) {
      continue;  // as all of the warpgroup
    }
    RowSums<Tile, Window> sums;
    multiply<Tile, Window>(layout, weights, places + static_cast<uint64_t>(z * Window::stride_z * layout.plane + first),
                           sums);
    const float of_channels[2] = {memory.unscale()[row] * unscale, memory.unscale()[row + kEight] * unscale};
    finish_warp<Tile, Window>(source, finish, layout, run, first,
                              static_cast<int>(blockIdx.y) * Tile::channels + warp % 4 * 16, of_channels, sums,
                              memory.staged(warp), kept);
  }
}

// Patches of an output channel, numbered, and how many of them a block takes.
template <int kRank>
struct Steps {
  PixelIndex<kRank> patches;
  int64_t count;
  int64_t of_block;
};

template <typename Tile, typename Window, typename Finish>
__global__ void __launch_bounds__(Tile::threads, Tile::blocks_of_multiprocessor)
    direct_rows_kernel(Source source, Finish finish, const __grid_constant__ Layout<Tile, Window> layout,
                       Steps<Window::rank> steps) {
#ifdef STITCH_HAS_WGMMA
  extern __shared__ __align__(128) unsigned char direct_rows_shared[];
  const Memory<Tile, Window> memory{direct_rows_shared, layout};
  const auto channels = static_cast<int>(source.shape.in_channels);
  const int first_channel = static_cast<int>(blockIdx.y) * Tile::channels;
  const int64_t first = int64_t{blockIdx.x} * steps.of_block;
  const int64_t left = steps.count - first;
  const auto count = static_cast<int>(left < steps.of_block ? left : steps.of_block);
  const auto place_of = [&](int number) {
    const PixelPlace patch = steps.patches.place(first + number);
    return Place{patch.n, static_cast<int>(patch.z) * Tile::depth, static_cast<int>(patch.y) * Tile::rows, 0};
  };
  Place place = place_of(0);
  load_rows<Tile, Window>(source, layout, place, memory.raw());
  ptx::cp_async_commit();
  direct_fp16_detail::scale_channels<Tile, Window>(source, first_channel, memory.unscale());
  clear_parts<Tile, Window>(layout, memory.parts());
  if (threadIdx.x == 0) {
    *memory.small(0) = 0;
  }
  __syncthreads();
  fill_weights<Tile, Window>(source, first_channel, memory.unscale(), memory.weights());
  typename Finish::Kept kept{};
#pragma unroll 1
  for (int number = 0; number < count; ++number) {
    ptx::cp_async_wait<0>();
    const float unscale = take_patch(memory, channels, number);
    const Place next = place_of(number + 1 < count ? number + 1 : number);
    if (number + 1 < count) {
      load_rows<Tile, Window>(source, layout, next, memory.raw());
      ptx::cp_async_commit();
    }
    kept.begin_image(source.shape, finish, place.image);
    multiply_patch<Tile, Window>(source, finish, memory, place, unscale, kept);
    place = next;
  }
  kept.end(source.shape, finish);
#endif
}

// How a problem's patches are shared out: one wave of blocks, each with as many.
struct Shares {
  int64_t deep;   // patches of an image, one behind the other
  int64_t down;   // one below the other
  int64_t count;  // of all images
  int64_t blocks_of_channels;
  int64_t of_block;

  template <typename Tile>
  static Shares of(const ConvShape& shape) {
    constexpr int64_t kBlocksAtOnce = 132 * Tile::blocks_of_multiprocessor;  // of an H200
    Shares shares{ceil_divide(shape.out_depth, Tile::depth), ceil_divide(shape.out_height, Tile::rows), 0,
                  ceil_divide(shape.out_channels, Tile::channels), 1};
    shares.count = shape.batch * shares.deep * shares.down;
    shares.of_block = max(int64_t{1}, ceil_divide(shares.count * shares.blocks_of_channels, kBlocksAtOnce));
    return shares;
  }
  int64_t blocks() const { return ceil_divide(count, of_block); }
};

template <typename Tile, typename Window, typename Finish>
cudaError_t launch(const ConvShape& shape, const float* input, const float* weight, const Finish& finish,
                   cudaStream_t stream) {
  constexpr int64_t kWidest = 1 << 12;
  if (shape.groups != 1 || shape.in_channels > Tile::input_channels || shape.out_width > kWidest) {
    return cudaErrorInvalidValue;
  }
  const Shares shares = Shares::of<Tile>(shape);
  if (shares.count == 0 || shape.out_channels == 0 || shape.out_width == 0) {
    return cudaSuccess;
  }
  const Steps<Window::rank> steps{PixelIndex<Window::rank>(shares.deep, shares.down, 1), shares.count, shares.of_block};
  const Layout<Tile, Window> layout(shape.out_width);
  const auto kernel = direct_rows_kernel<Tile, Window, Finish>;
  const int shared_bytes = layout.shared_bytes(static_cast<int>(shape.in_channels));
  const cudaError_t error = allow_shared_memory(kernel, shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const bool by_four = shape.width % kLanes == 0 && reinterpret_cast<uintptr_t>(input) % sizeof(float4) == 0;
  const Source source{shape, input_planes(shape), input, weight, by_four};
  const dim3 blocks(static_cast<unsigned>(shares.blocks()), static_cast<unsigned>(shares.blocks_of_channels));
  kernel<<<blocks, Tile::threads, shared_bytes, stream>>>(source, finish, layout, steps);
  return cudaGetLastError();
}

}  // namespace direct_rows_detail

// epilogue: void operator()(int64_t image, int64_t channel, int64_t pixel, float accumulator) const, pixels of a plane
// numbered along its rows; and lanes<4>(image, channel, pixel, accumulators) where `vectorised`, which is proved for
// every fourth pixel. Needs shape.groups == 1, no more input channels than the tile takes, and patches of whole rows
// that a block has room for; sm_90a.
template <typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_direct_rows(const ConvShape& shape, const float* input, const float* weight,
                                    const Epilogue& epilogue, bool vectorised, cudaStream_t stream) {
  const direct_rows_detail::RowFinish<Epilogue> finish{epilogue, vectorised};
  return direct_rows_detail::launch<Tile, Window>(shape, input, weight, finish, stream);
}

}  // namespace stitch
