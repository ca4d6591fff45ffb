// SPDX-License-Identifier: Apache-2.0
// What a convolution of one tap (kernels/conv/pointwise_wgmma.cuh, pointwise_tf32x3.cuh) takes from where: weights in
// the order in which the tensor cores read them from shared memory, and a block's ring of slices of the input.
#pragma once

#include "kernels/conv/shape.cuh"
#include "kernels/gemm/mma_policy.cuh"
#include "ptx/bulk_copy.cuh"
#include "ptx/cp_async.cuh"
#include "ptx/mbarrier.cuh"

namespace stitch {

// Of a block: warpgroups, each with 128 places, and output channels. One more warpgroup brings the input. Operands are
// multiplied in one part, rounded, or in two.
template <int kGroups, int kChannels, int kParts = 1>
struct PointwiseTile {
  static constexpr int groups = kGroups, channels = kChannels, parts = kParts;
  static constexpr int places = 128 * kGroups;
  static constexpr int multipliers = 128 * kGroups;  // threads
  static constexpr int bringers = 128;
  static constexpr int threads = multipliers + bringers;
  static constexpr int blocks = kGroups == 1 ? 2 : 1;  // of a multiprocessor
  static constexpr int sums = kChannels / 2;           // of a thread, from each of two tiles of 64 places
};

namespace pointwise_detail {

constexpr int kSlice = 32;        // input channels of a stage
constexpr int kStep = 8;          // of a product of the tensor cores
constexpr int kLanes = 4;         // neighbouring places of a thread
constexpr int kRowBytes = 128;    // of an output channel's weights in a slice
constexpr int kAlignment = 1024;  // of what the tensor cores read from shared memory
constexpr int kMostStages = 8;

// The weights of a slice of a block's output channels are in one piece, rounded, or upper parts before lower ones: rows
// of 128 bytes whose 16-byte pieces are swizzled as wgmma_operand() says. Slices follow each other, then blocks of
// output channels, each of one group of the convolution. Channels that are not there weigh nothing.
struct WeightBlocks {
  int64_t in_channels;  // of a group, as the next two
  int64_t out_channels;
  int64_t blocks_of_group;
  int64_t blocks;
  int64_t slices;

  __host__ WeightBlocks(const ConvShape& shape, int channels_of_block)
      : in_channels(shape.in_channels / shape.groups),
        out_channels(shape.out_channels / shape.groups),
        blocks_of_group(ceil_divide(out_channels, channels_of_block)),
        blocks(shape.groups * blocks_of_group),
        slices(ceil_divide(in_channels, kSlice)) {}

  __host__ int64_t bytes(int channels_of_block, int parts = 1) const {
    return blocks * slices * parts * channels_of_block * kRowBytes;
  }
};

// Of a weight: itself, rounded, or one of two parts.
template <int kParts>
__device__ __forceinline__ uint32_t part_of_weight(float weight, bool is_lower) {
  if constexpr (kParts == 1) {
    return mma_detail::rounded_tf32(weight);
  } else {
    const float value[1] = {weight};
    uint32_t upper[1], lower[1];
    mma_detail::split_fragment(upper, lower, value);
    return is_lower ? lower[0] : upper[0];
  }
}

// A thread makes a piece of four.
template <typename Tile>
__global__ void arrange_weights_kernel(const float* weight, WeightBlocks weights, uint4* arranged, int64_t count) {
  constexpr int kPieces = kRowBytes / 16;
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int64_t row = i / kPieces % Tile::channels;
  const bool is_lower = i / kPieces / Tile::channels % Tile::parts != 0;
  const int64_t slice = i / kPieces / Tile::channels / Tile::parts % weights.slices;
  const int64_t block = i / kPieces / Tile::channels / Tile::parts / weights.slices;
  const int64_t channel = block % weights.blocks_of_group * Tile::channels + row;  // of the group
  const int64_t first = slice * kSlice + ((i ^ row) % kPieces) * kLanes;
  const float* const own =
      weight + (block / weights.blocks_of_group * weights.out_channels + channel) * weights.in_channels;
  uint32_t words[kLanes];
#pragma unroll
  for (int word = 0; word < kLanes; ++word) {
    const bool is_there = channel < weights.out_channels && first + word < weights.in_channels;
    words[word] = is_there ? part_of_weight<Tile::parts>(own[first + word], is_lower) : 0;
  }
  arranged[i] = make_uint4(words[0], words[1], words[2], words[3]);
}

// Shared memory of a block: barriers, then weights, all of its own or those of each stage, then slices of the input.
template <typename Tile>
struct Memory {
  static constexpr int room = (Tile::blocks == 1 ? 226 : 112) * 1024;
  static constexpr int input_bytes = kSlice * Tile::places * static_cast<int>(sizeof(float));
  static constexpr int weight_bytes = Tile::parts * Tile::channels * kRowBytes;
  // At least, where a block keeps all its weights.
  static constexpr int stages_beside_weights = Tile::parts == 1 ? 4 : 3;
  static constexpr int lead = 2 * kAlignment;  // room for barriers before what is aligned
  static_assert(weight_bytes % kAlignment == 0);

  bool has_all_weights;
  int stages;
  int input_at;
  int bytes;  // in all

  __host__ explicit Memory(int64_t slices, bool may_keep_weights = true)
      : has_all_weights(may_keep_weights &&
                        slices * weight_bytes + stages_beside_weights * input_bytes <= room - lead) {
    const auto kept = static_cast<int>(has_all_weights ? slices * weight_bytes : 0);
    const int fitting = (room - lead - kept) / (input_bytes + (has_all_weights ? 0 : weight_bytes));
    stages = fitting < kMostStages ? fitting : kMostStages;
    input_at = has_all_weights ? kept : stages * weight_bytes;
    bytes = lead + input_at + stages * input_bytes;
  }
};

// Position in the ring: the stage, and the parity of its use.
struct RingPlace {
  int stage = 0;
  uint32_t parity = 0;

  template <typename Tile>
  __device__ __forceinline__ void next(const Memory<Tile>& memory) {
    if (++stage == memory.stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// `full`: all copies of a stage have come, an arrival of each thread that brings and one that counts bytes. `empty`: it
// is multiplied, one arrival a warp. `kept`: the weights that a block keeps have come.
template <typename Tile>
struct Ring {
  using Layout = Memory<Tile>;

  const Layout& memory;
  unsigned char* weights;  // behind the barriers

  __device__ __forceinline__ Ring(unsigned char* shared, const Layout& memory) : memory(memory) {
    const auto misaligned = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(shared) % kAlignment);
    weights = shared + Layout::lead - misaligned;
  }

  __device__ __forceinline__ uint64_t* barriers() const {
    static_assert((2 * kMostStages + 1) * sizeof(uint64_t) <= kAlignment);
    return reinterpret_cast<uint64_t*>(weights - kAlignment);
  }
  __device__ __forceinline__ uint64_t* full(int stage) const { return barriers() + stage; }
  __device__ __forceinline__ uint64_t* empty(int stage) const { return barriers() + kMostStages + stage; }
  __device__ __forceinline__ uint64_t* kept() const { return barriers() + 2 * kMostStages; }

  __device__ __forceinline__ void init() const {
    if (threadIdx.x == 0) {
      for (int stage = 0; stage < memory.stages; ++stage) {
        ptx::mbarrier_init(full(stage), Tile::bringers + 1);
        ptx::mbarrier_init(empty(stage), Tile::multipliers / kWarpThreads);
      }
      ptx::mbarrier_init(kept(), 1);
      ptx::mbarrier_fence_init();
    }
    __syncthreads();
  }

  __device__ __forceinline__ float* input_of(int stage) const {
    return reinterpret_cast<float*>(weights + memory.input_at + stage * Layout::input_bytes);
  }
  __device__ __forceinline__ unsigned char* weights_of(int slot) const { return weights + slot * Layout::weight_bytes; }

  // The first round through the ring finds it empty: a barrier's phase before its first one counts as ended.
  __device__ __forceinline__ void wait_until_empty(const RingPlace& place) const {
    ptx::mbarrier_wait(empty(place.stage), place.parity ^ 1);
  }
  __device__ __forceinline__ void wait_until_full(const RingPlace& place) const {
    ptx::mbarrier_wait(full(place.stage), place.parity);
  }
  // By every warp that multiplies, once it has waited for its products of the stage.
  __device__ __forceinline__ void release(int stage) const {
    if (threadIdx.x % kWarpThreads == 0) {
      ptx::mbarrier_arrive(empty(stage));
    }
  }
};

// Of the input channels of a unit: those that a block multiplies.
struct SliceRange {
  int first;
  int count;
};

// Tiles of places, all images' numbered one behind the other, each with a block of output channels at a time.
struct PointwiseSteps {
  uint32_t places;
  uint32_t units;  // tiles of places times blocks of channels
  uint32_t blocks_of_channels;
  uint32_t pixels;  // of an image
  int in_channels;  // of a group of the convolution
  int slices;
  bool by_four;  // the input is copied by four places
  int image_channels;
  uint32_t blocks_of_group;
};

// Where a place lies in the input: its element of the first channel.
__device__ __forceinline__ const float* place_in_input(const PointwiseSteps& steps, const float* input,
                                                       uint32_t place) {
  const uint32_t image = place / steps.pixels;
  return input + static_cast<int64_t>(image) * (steps.image_channels - 1) * steps.pixels + place;
}

// The first channel of the group that a block of output channels is of.
__device__ __forceinline__ const float* input_of_block(const PointwiseSteps& steps, const float* input,
                                                       uint32_t block) {
  return input + static_cast<int64_t>(block / steps.blocks_of_group) * steps.in_channels * steps.pixels;
}

// Four places of row k are one piece of 16 bytes, swizzled so that the rows that a warp reads at once lie in different
// banks.
template <typename Tile>
__device__ __forceinline__ int piece_of(int k, int piece) {
  return k * (Tile::places / kLanes) + (piece ^ k % 4 * 2);
}

// This thread's piece of every so many rows of a slice. `from`: of its first row; `left`: rows that are there from it
// on.
template <typename Tile>
__device__ __forceinline__ void bring_pieces(const float* from, uint32_t pixels, int left, float* slice) {
  constexpr int kPieces = Tile::places / kLanes;
  constexpr int kRowStep = Tile::bringers / kPieces;
  const int thread = static_cast<int>(threadIdx.x) - Tile::multipliers;
  const int row = thread / kPieces;
#pragma unroll 4
  for (int i = 0; i < kSlice; i += kRowStep) {
    ptx::cp_async_16(slice + piece_of<Tile>(row + i, thread % kPieces) * kLanes, from, i < left ? 16 : 0);
    from += kRowStep * pixels;
  }
}

// The same of one place of all rows.
template <typename Tile>
__device__ __forceinline__ void bring_places(const float* from, uint32_t pixels, int left, int place, float* slice) {
#pragma unroll 4
  for (int i = 0; i < kSlice; ++i) {
    ptx::cp_async_4_or_zero(slice + piece_of<Tile>(i, place / kLanes) * kLanes + place % kLanes, from, i < left);
    from += pixels;
  }
}

}  // namespace pointwise_detail

}  // namespace stitch
