// SPDX-License-Identifier: Apache-2.0
// Convolution on the tensor cores from patches of the input, transposed ones without a zero multiplied: a block takes
// the patch under four rows of places, eight input channels at a time, into shared memory, the next one while it
// multiplies the last; a warp multiplies the taps of its output channels with the windows of 32 or 64 neighbouring
// places, which it reads from the patch where they lie, and sums up all phases of them side by side. What it reads of
// the patch serves all taps that read there. A launch before arranges the weights. They are in shared memory too, all
// of a block's or those of eight input channels; where there is no room, they come through the L1 cache.
//
// Policy: Tf32, Tf32x3 (whose partial sums are promoted every 32 of K), or ScaledFp16: launches before pack the input
// as fp16, two channels a word, and a slice has sixteen of them; or fewer, and several taps beside each other (Folded).
#pragma once

#include "kernels/conv/patch_finish.cuh"

namespace stitch {

namespace patch_detail {

// This lane's elements under its warp's places.
template <typename Tile, typename Window>
__device__ __forceinline__ void read_places(const float* places, float (&values)[Tile::tiles_n][2]) {
#pragma unroll
  for (int j = 0; j < Tile::tiles_n; ++j) {
    values[j][0] = places[j * 8 * PatchAxes<Window>::X::step];
    values[j][1] = places[j * 8 * PatchAxes<Window>::X::step + Patch<Tile, Window>::second];
  }
}

// One tap of a slice, of both operands as they are multiplied. kWordsOfTile: how far it is to the next sixteen output
// channels.
template <typename Policy, typename Tile, int kWordsOfTile>
__device__ __forceinline__ void multiply_tap(const uint4* weights, const uint32_t (&places)[Tile::tiles_n][2],
                                             MmaSums<Tile::tiles_m, Tile::tiles_n>& sums) {
#pragma unroll
  for (int i = 0; i < Tile::tiles_m; ++i) {
    const uint4 words = weights[i * kWordsOfTile];
    const uint32_t operand[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int j = 0; j < Tile::tiles_n; ++j) {
      if constexpr (kIsScaled<Policy>) {
        ptx::mma_m16n8k16_fp16(sums[i][j], operand, places[j]);
      } else {
        ptx::mma_m16n8k8_tf32(sums[i][j], operand, places[j]);
      }
    }
  }
}

// How a policy multiplies a slice: `places` is this lane's first element under its warp's places, `weights` this lane's
// words of the first tap. One product: shift by shift, all taps that read there, whichever phase they add to.
template <typename Policy>
struct MultiplySlice {
  template <typename Tile, typename Window>
  static __device__ __forceinline__ void add_shift(const float* places, const uint4* weights, int shift_z, int shift_y,
                                                   int shift_x, PatchSums<Tile, Window>& sums) {
    using Z = typename PatchAxes<Window>::Z;
    using Y = typename PatchAxes<Window>::Y;
    using X = typename PatchAxes<Window>::X;
    float values[Tile::tiles_n][2];
    read_places<Tile, Window>(places + X::offset(shift_x), values);
    uint32_t operand[Tile::tiles_n][2];
#pragma unroll
    for (int j = 0; j < Tile::tiles_n * 2; ++j) {
      operand[j / 2][j % 2] = __float_as_uint(values[j / 2][j % 2]);
    }
#pragma unroll
    for (int i = 0; i < Z::taps_of_shift * Y::taps_of_shift * X::taps_of_shift; ++i) {
      const int z = Z::tap(shift_z, i / X::taps_of_shift / Y::taps_of_shift);
      const int y = Y::tap(shift_y, i / X::taps_of_shift % Y::taps_of_shift);
      const int x = X::tap(shift_x, i % X::taps_of_shift);
      if (z < Z::kernel && y < Y::kernel && x < X::kernel) {
        const int phase = (Z::phase(shift_z, i / X::taps_of_shift / Y::taps_of_shift) * Y::phases +
                           Y::phase(shift_y, i / X::taps_of_shift % Y::taps_of_shift)) *
                              X::phases +
                          X::phase(shift_x, i % X::taps_of_shift);
        multiply_tap<Policy, Tile, Window::taps * 32>(weights + ((z * Y::kernel + y) * X::kernel + x) * 32, operand,
                                                      sums[phase]);
      }
    }
  }

  template <typename Tile, typename Window>
  static __device__ __forceinline__ void add(const float* places, const uint4* weights, PatchSums<Tile, Window>& sums) {
    using Source = Patch<Tile, Window>;
    using Z = typename PatchAxes<Window>::Z;
    using Y = typename PatchAxes<Window>::Y;
    using X = typename PatchAxes<Window>::X;
    // Phases are registers, whose numbers have to be known; without them a loop is a loop.
    constexpr int kUnrolledZ = Z::phases > 1 ? Z::shifts : 1;
    constexpr int kUnrolledY = Z::phases * Y::phases > 1 ? Y::shifts : 1;
#pragma unroll kUnrolledZ
    for (int z = 0; z < Z::shifts; ++z) {
#pragma unroll kUnrolledY
      for (int y = 0; y < Y::shifts; ++y) {
        const float* const row = places + (Z::offset(z) * Source::height + Y::offset(y)) * Source::width;
#pragma unroll
        for (int x = 0; x < X::shifts; ++x) {
          add_shift<Tile, Window>(row, weights, z, y, x, sums);
        }
      }
    }
  }
};

// Three products: phase by phase, so that partial sums of one are promoted while the others' rest.
template <>
struct MultiplySlice<Tf32x3> {
  template <typename Tile, typename Window>
  static __device__ __forceinline__ void add_tap(const float* places, const uint4* weights,
                                                 MmaSums<Tile::tiles_m, Tile::tiles_n>& sums) {
    float values[Tile::tiles_n][2];
    read_places<Tile, Window>(places, values);
    uint32_t upper[Tile::tiles_n][2];
    uint32_t lower[Tile::tiles_n][2];
#pragma unroll
    for (int j = 0; j < Tile::tiles_n; ++j) {
      mma_detail::split_fragment(upper[j], lower[j], values[j]);
    }
    // Small terms first: see Tf32x3.
    multiply_tap<Tf32x3, Tile, Window::taps * 64>(weights + 32, upper, sums);
    multiply_tap<Tf32x3, Tile, Window::taps * 64>(weights, lower, sums);
    multiply_tap<Tf32x3, Tile, Window::taps * 64>(weights, upper, sums);
  }

  // The taps of one row of the window that have this phase. `row`: without the shift along x.
  template <typename Tile, typename Window>
  static __device__ __forceinline__ void add_row(const float* row, const uint4* weights, int phase,
                                                 MmaSums<Tile::tiles_m, Tile::tiles_n>& sums) {
    using X = typename PatchAxes<Window>::X;
    constexpr int kTapsOfPromotion = Tf32x3::kPromoteEvery / kSlice;
    MmaSums<Tile::tiles_m, Tile::tiles_n> partial = {};
    int taps = 0;
#pragma unroll
    for (int x = 0; x < X::kernel; ++x) {
      if (!X::has_tap(phase, x)) {
        continue;
      }
      if (taps == kTapsOfPromotion) {
        promote<Tile>(partial, sums);
        taps = 0;
      }
      add_tap<Tile, Window>(row + X::offset(X::shift_of(x, phase)), weights + x * 64, partial);
      ++taps;
    }
    promote<Tile>(partial, sums);
  }

  template <typename Tile>
  static __device__ __forceinline__ void promote(MmaSums<Tile::tiles_m, Tile::tiles_n>& partial,
                                                 MmaSums<Tile::tiles_m, Tile::tiles_n>& sums) {
#pragma unroll
    for (int i = 0; i < Tile::tiles_m * Tile::tiles_n * 4; ++i) {
      float& from = partial[i / 4 / Tile::tiles_n][i / 4 % Tile::tiles_n][i % 4];
      sums[i / 4 / Tile::tiles_n][i / 4 % Tile::tiles_n][i % 4] += from;
      from = 0;
    }
  }

  template <typename Tile, typename Window>
  static __device__ __forceinline__ void add(const float* places, const uint4* weights, PatchSums<Tile, Window>& sums) {
    using Source = Patch<Tile, Window>;
    using Z = typename PatchAxes<Window>::Z;
    using Y = typename PatchAxes<Window>::Y;
    using X = typename PatchAxes<Window>::X;
#pragma unroll
    for (int phase = 0; phase < PatchAxes<Window>::phases; ++phase) {
#pragma unroll 1
      for (int line = 0; line < Z::kernel * Y::kernel; ++line) {
        const int z = line / Y::kernel;
        const int y = line % Y::kernel;
        const int of_z = phase / X::phases / Y::phases;
        const int of_y = phase / X::phases % Y::phases;
        if (!Z::has_tap(of_z, z) || !Y::has_tap(of_y, y)) {
          continue;
        }
        add_row<Tile, Window>(
            places +
                (Z::offset(Z::shift_of(z, of_z)) * Source::height + Y::offset(Y::shift_of(y, of_y))) * Source::width,
            weights + line * X::kernel * 64, phase % X::phases, sums[phase]);
      }
    }
  }
};

// Patches of a block of channels, numbered, so many for each block; and the slices of each, one after the other.
template <int kRank>
struct PatchSteps {
  PixelIndex<kRank> patches;
  int64_t count;  // of patches
  int patches_of_block;
  int slices;
  int blocks_of_group;  // of output channels
};

// What patches are copied from, floats or words of two fp16 numbers: planes of a group and of an image.
struct PatchSource {
  const float* elements;
  Planes planes;
  int planes_of_group;
  int64_t planes_of_image;
};

// Sums of scaled operands become sums of operands; NaN where fp16 does not hold one of them.
template <typename Tile, typename Window>
__device__ __forceinline__ void unscale_sums(const PatchScales& scales, int64_t image, PatchSums<Tile, Window>& sums) {
  const float of_image = scales.images[image].unscale();
  const float* const own = scales.channels + int64_t{blockIdx.y} * Tile::channels + threadIdx.x % 32 / 4;
#pragma unroll
  for (int i = 0; i < Tile::tiles_m; ++i) {
    const float unscale[2] = {own[i * kRowsOfTile] * of_image, own[i * kRowsOfTile + 8] * of_image};
#pragma unroll
    for (int k = 0; k < PatchAxes<Window>::phases * Tile::tiles_n * 4; ++k) {
      sums[k / 4 / Tile::tiles_n][i][k / 4 % Tile::tiles_n][k % 4] *= unscale[k % 4 / 2];
    }
  }
}

// A block's weights, in global memory and what of them is in shared memory, behind the patches and what is staged.
template <typename Policy, typename Tile, typename Window>
class WeightsOfBlock {
 public:
  using Memory = PatchMemory<Policy, Tile, Window>;

  __device__ __forceinline__ WeightsOfBlock(const uint4* arranged, int slices, float* shared)
      : global_(arranged + int64_t{blockIdx.y} * slices * Memory::words_of_slice),
        shared_(reinterpret_cast<uint4*>(shared + Memory::bytes / sizeof(float))),
        slices_(slices),
        has_all_(Memory::has_all_weights(slices)) {}

  __device__ __forceinline__ void load_all() const {
    if (Memory::has_weights && has_all_) {
      copy(global_, shared_, slices_ * Memory::words_of_slice);
    }
  }

  __device__ __forceinline__ void load(int slice, int buffer) const {
    if (Memory::has_weights && !has_all_) {
      copy(global_ + slice * Memory::words_of_slice, shared_ + buffer * Memory::words_of_slice, Memory::words_of_slice);
    }
  }

  __device__ __forceinline__ const uint4* of(int slice, int buffer) const {
    if constexpr (Memory::has_weights) {
      return shared_ + (has_all_ ? slice : buffer) * Memory::words_of_slice;
    } else {
      return global_ + slice * Memory::words_of_slice;
    }
  }

 private:
  static __device__ __forceinline__ void copy(const uint4* from, uint4* to, int count) {
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < count; i += Tile::threads) {
      ptx::cp_async_16(to + i, from + i);
    }
  }

  const uint4* global_;
  uint4* shared_;
  int slices_;
  bool has_all_;
};

template <typename Policy, typename Tile, typename Window, typename Epilogue>
__global__ void __launch_bounds__(Tile::threads, (PatchBlocks<Policy, Tile, Window>::count))
    patch_mma_kernel(PatchFinish<Epilogue> finish, const uint4* arranged, PatchSource source, PatchScales scales,
                     PatchSteps<Window::rank> steps) {
  using Source = Patch<Tile, Window>;
  using Axes = PatchAxes<Window>;
  extern __shared__ __align__(16) float shared[];
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float* const staged = shared + 2 * Source::floats + warp * Source::staged;
  const int group = static_cast<int>(blockIdx.y) / steps.blocks_of_group;
  const int first_channel = static_cast<int>(blockIdx.y) % steps.blocks_of_group * Tile::channels;
  const int row = warp / Tile::across;
  const int column = warp % Tile::across * Tile::columns;
  const int first_element = lane % 4 % Source::planes * Source::plane + lane % 4 / Source::planes * Source::Fold::step +
                            row * Axes::Y::step * Source::width + (column + lane / 4) * Axes::X::step + Source::lead;
  const int64_t first = int64_t{blockIdx.x} * steps.patches_of_block;
  const int64_t left = steps.count - first;
  const int count = static_cast<int>(left < steps.patches_of_block ? left : steps.patches_of_block);
  const auto place_of = [&](int number) {
    const PixelPlace patch = steps.patches.place(first + number);
    return PatchPlace{patch.n, static_cast<int>(patch.z), static_cast<int>(patch.y) * Tile::rows,
                      static_cast<int>(patch.x) * Tile::across * Tile::columns};
  };
  const WeightsOfBlock<Policy, Tile, Window> weights(arranged, steps.slices, shared);
  PatchPlace place = place_of(0);
  PatchCopy<Tile, Window> copy;
  copy.move_to(source.planes, place);
  int next_buffer = 0;
  const auto load = [&](const PatchPlace& from, int slice) {
    const int first_plane = slice * Source::planes;
    const int64_t plane = from.image * source.planes_of_image + group * source.planes_of_group + first_plane;
    copy.copy(source.planes, source.elements + plane * source.planes.plane_stride, source.planes_of_group - first_plane,
              shared + next_buffer * Source::floats);
    weights.load(slice, next_buffer);
    ptx::cp_async_commit();
    next_buffer ^= 1;
  };
  weights.load_all();
  load(place, 0);
  WarpFinish<Epilogue> own;
  for (int number = 0; number < count; ++number) {
    PatchSums<Tile, Window> sums = {};
    PatchPlace next = place;
    for (int slice = 0; slice < steps.slices; ++slice) {
      const int buffer = next_buffer ^ 1;
      float* const patch = shared + buffer * Source::floats;
      ptx::cp_async_wait<0>();
      if constexpr (std::is_same_v<Policy, Tf32>) {
        copy.round(patch);
      }
      __syncthreads();  // all have what is multiplied now, and have read what is written over
      if (slice + 1 < steps.slices) {
        load(place, slice + 1);
      } else if (number + 1 < count) {
        next = place_of(number + 1);
        copy.move_to(source.planes, next);
        load(next, 0);
      }
      MultiplySlice<Policy>::template add<Tile, Window>(patch + first_element, weights.of(slice, buffer) + lane, sums);
    }
    if constexpr (kIsScaled<Policy>) {
      unscale_sums<Tile, Window>(scales, place.image, sums);
    }
    place.y += row;
    place.x += column;
    own.template finish<Tile, Window>(finish, {place, group, first_channel}, sums, staged);
    place = next;
  }
  if constexpr (requires { own.end(finish, group, first_channel); }) {
    own.end(finish, group, first_channel);
  }
}

// How a problem's patches are shared out.
struct PatchShares {
  int64_t deep;
  int64_t down;
  int64_t across;
  int64_t count;
  int64_t blocks_of_channels;
  int64_t of_block;

  // So many patches for each block that the last wave of blocks is full too; more where a block takes all of its
  // weights into shared memory.
  template <typename Policy, typename Tile, typename Window>
  static PatchShares of(const ConvShape& shape) {
    using Axes = PatchAxes<Window>;
    using Memory = PatchMemory<Policy, Tile, Window>;
    constexpr int64_t kBlocksAtOnce = 132 * PatchBlocks<Policy, Tile, Window>::count;  // of an H200
    const WeightTiles tiles = PatchScratch<Policy, Window>(shape, Tile::tiles_m).tiles;
    PatchShares shares{Axes::Z::places(shape.out_depth),
                       ceil_divide(Axes::Y::places(shape.out_height), Tile::rows),
                       ceil_divide(Axes::X::places(shape.out_width), Tile::across * Tile::columns),
                       0,
                       shape.groups * tiles.blocks_of_group,
                       1};
    shares.count = shape.batch * shares.of_image();
    const int64_t all = shares.count * shares.blocks_of_channels;
    const int64_t most = Memory::has_weights && Memory::has_all_weights(tiles.slices) ? 16 : 4;
    const int64_t waves = ceil_divide(all, kBlocksAtOnce * most);
    shares.of_block = waves > 0 ? ceil_divide(all, kBlocksAtOnce * waves) : 1;
    return shares;
  }
  int64_t of_image() const { return deep * down * across; }
};

struct PatchOperands {
  const float* input;
  const float* weight;
};

// Scales of both operands, and the input's words in the place of `source`.
template <typename Policy, typename Window>
cudaError_t launch_words(const ConvShape& shape, const PatchScratch<Policy, Window>& layout,
                         const PatchOperands& operands, unsigned char* memory, PatchSource& source, PatchScales& scales,
                         cudaStream_t stream) {
  auto* const unscale = reinterpret_cast<float*>(memory + layout.unscale_at);
  auto* const ranges = reinterpret_cast<ImageRange*>(memory + layout.ranges_at);
  auto* const words = reinterpret_cast<uint4*>(memory + layout.words_at);
  const cudaError_t error = launch_scale<typename WindowFold<Window>::Original>(
      shape, layout.tiles, operands.input, operands.weight, unscale, ranges, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const WordPlanes planes(shape);
  source = {reinterpret_cast<const float*>(words),
            {planes.plane_stride(), static_cast<int>(shape.depth), static_cast<int>(shape.height),
             static_cast<int>(planes.runs_of_row * 4)},
            static_cast<int>(planes.words),
            planes.words * shape.groups};
  scales = {unscale, ranges};
  return launch_pack(shape, operands.input, words, ranges, stream);
}

}  // namespace patch_detail

// epilogue: void operator()(int64_t image, int64_t channel, int64_t pixel, float accumulator) const, pixels of a plane
// numbered along its rows; and lanes<4>(image, channel, pixel, accumulators) where `vectorised`, which is proved for
// every fourth pixel. `scratch` has PatchScratch<Policy, Window>'s bytes.
template <typename Policy, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_patch_mma(const ConvShape& shape, const float* input, const float* weight,
                                  const Epilogue& epilogue, bool vectorised, void* scratch, cudaStream_t stream) {
  if (shape.batch * shape.out_channels * shape.out_depth * shape.out_height * shape.out_width == 0) {
    return cudaSuccess;
  }
  const auto shares = patch_detail::PatchShares::of<Policy, Tile, Window>(shape);
  auto* const memory = static_cast<unsigned char*>(scratch);
  auto* const arranged = static_cast<uint4*>(scratch);
  const patch_detail::PatchScratch<Policy, Window> layout(shape, Tile::tiles_m);
  const patch_detail::WeightTiles& tiles = layout.tiles;
  patch_detail::PatchSource source{input, input_planes(shape), static_cast<int>(shape.in_channels / shape.groups),
                                   shape.in_channels};
  patch_detail::PatchScales scales{};
  cudaError_t error = cudaSuccess;
  if constexpr (patch_detail::kIsScaled<Policy>) {
    error = patch_detail::launch_words<Policy, Window>(shape, layout, {input, weight}, memory, source, scales, stream);
    if (error != cudaSuccess) {
      return error;
    }
  }
  error = patch_detail::launch_arrange<Policy, Window>(shape, tiles, weight, scales.channels, arranged, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const patch_detail::PatchSteps<Window::rank> steps{
      PixelIndex<Window::rank>(shares.deep, shares.down, shares.across), shares.count,
      static_cast<int>(shares.of_block), static_cast<int>(tiles.slices), static_cast<int>(tiles.blocks_of_group)};
  auto kernel = patch_detail::patch_mma_kernel<Policy, Tile, Window, Epilogue>;
  const int shared_bytes = patch_detail::PatchMemory<Policy, Tile, Window>::shared_bytes(tiles.slices);
  error = allow_shared_memory(kernel, shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const dim3 blocks(static_cast<unsigned>(ceil_divide(shares.count, shares.of_block)),
                    static_cast<unsigned>(shares.blocks_of_channels));
  const patch_detail::PatchFinish<Epilogue> finish{shape,
                                                   input,
                                                   weight,
                                                   epilogue,
                                                   static_cast<int>(shape.in_channels / shape.groups),
                                                   static_cast<int>(shape.out_channels / shape.groups),
                                                   vectorised && shape.out_width % patch_detail::kLanes == 0};
  kernel<<<blocks, Tile::threads, shared_bytes, stream>>>(finish, arranged, source, scales, steps);
  return cudaGetLastError();
}

}  // namespace stitch
