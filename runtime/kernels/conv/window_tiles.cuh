// SPDX-License-Identifier: Apache-2.0
// What a convolution by windows in registers (kernels/conv/window_wgmma.cuh) takes from where: tiles of places, the
// weights in the order in which the tensor cores read them, and a block's two rings, of slices of the input and of
// weights of a row of taps.
#pragma once

#include "kernels/conv/pointwise.cuh"

namespace stitch {

namespace window_detail {

using pointwise_detail::kLanes;
using pointwise_detail::kRowBytes;
using pointwise_detail::kSlice;
using pointwise_detail::SliceRange;

constexpr int kAlignment = 1024;  // of what the tensor cores read from shared memory
constexpr int kInputStages = 2;
constexpr int kFewestWeightStages = 2, kMostWeightStages = 4;
constexpr int kQuadsOfGroup = 32;  // four neighbouring places of a row each, of a warpgroup
constexpr int kWeightBringers = kWarpThreads;

template <typename Tile>
constexpr int input_bringers = Tile::bringers - kWeightBringers;  // threads

// From a window's first element to its last.
template <typename Window>
constexpr int span_x = (Window::kernel_x - 1) * Window::dilation_x + 1;
template <typename Window>
constexpr int span_y = (Window::kernel_y - 1) * Window::dilation_y + 1;

// Of a row, as it lies in shared memory: it begins at a multiple of four of the input's elements, so that a thread's
// window does `lead` elements behind one.
template <typename Window>
struct WindowRow {
  static constexpr int begin = round_up(Window::padding_x, kLanes);  // elements before the row's first
  static constexpr int lead = begin - Window::padding_x;
  static constexpr int floats = lead + (kLanes - 1) * Window::stride_x + span_x<Window>;  // from there on, of a thread
  static constexpr int pieces = (floats + kLanes - 1) / kLanes;

  static __host__ int staged(int quads) {
    return static_cast<int>(round_up((kLanes * quads - 1) * Window::stride_x + span_x<Window> + lead, kLanes));
  }
};

// A tile has whole rows of places, or one part of a row; rows of several images where they are small.
struct WindowSteps {
  int images;    // of a tile
  int rows;      // of places, of each of them
  int quads;     // of a row
  int segments;  // of the images' rows
  int row_tiles;
  int tiles;
  int blocks_of_channels;
  int slices;
  int in_rows;     // of an image's part of a tile
  int row_floats;  // of shared memory, of each of them
  int channel_floats;
  bool by_four;  // the input is copied by four elements
};

// Shared memory, and what its weights take of it.
constexpr int kRoom = 226 * 1024;
template <typename Tile, typename Window>
constexpr int weight_stage_bytes = Window::kernel_x * Tile::channels * kRowBytes;

// Elements of an input channel for which there is room.
template <typename Tile, typename Window>
__host__ constexpr int most_channel_floats() {
  constexpr int kBesides = 2 * kAlignment + kFewestWeightStages * weight_stage_bytes<Tile, Window>;
  return (kRoom - kBesides) / (kInputStages * kSlice * static_cast<int>(sizeof(float)));
}

// Spreads the rows of images over tiles of so many quads as evenly as can be, and fewer where many rows of the input
// belong to a tile.
template <typename Tile, typename Window>
__host__ WindowSteps window_steps(const ConvShape& shape, const float* input) {
  constexpr int64_t kQuads = kQuadsOfGroup * Tile::groups;
  constexpr int kBanks = 32, kChannelBanks = 8;  // the four channels that a warp reads lie in different ones
  const int64_t quads = ceil_divide(shape.out_width, kLanes);
  const int64_t segments = ceil_divide(quads, kQuads);
  const int row_floats = WindowRow<Window>::staged(static_cast<int>(ceil_divide(quads, segments)));
  const int64_t fitting_rows = (most_channel_floats<Tile, Window>() - kBanks) / row_floats;  // of the input
  int64_t most_rows = (fitting_rows - span_y<Window>) / Window::stride_y + 1;
  most_rows = segments > 1 || most_rows < 1 ? 1 : (most_rows < kQuads / quads ? most_rows : kQuads / quads);
  const int64_t row_tiles = ceil_divide(shape.out_height, most_rows);
  const bool is_part = row_tiles > 1 || segments > 1;  // of an image
  int64_t of_tile = is_part ? 1 : kQuads / quads / shape.out_height;
  const int64_t fitting_images = fitting_rows / ((shape.out_height - 1) * Window::stride_y + span_y<Window>);
  of_tile = of_tile < fitting_images || is_part ? of_tile : fitting_images;
  WindowSteps steps{};
  steps.images = static_cast<int>(of_tile < shape.batch ? of_tile : shape.batch);
  steps.rows = static_cast<int>(ceil_divide(shape.out_height, row_tiles));
  steps.quads = static_cast<int>(ceil_divide(quads, segments));
  steps.segments = static_cast<int>(segments);
  steps.row_tiles = static_cast<int>(row_tiles);
  steps.tiles = static_cast<int>(ceil_divide(shape.batch, steps.images) * row_tiles * segments);
  steps.blocks_of_channels = static_cast<int>(ceil_divide(shape.out_channels, Tile::channels));
  steps.slices = static_cast<int>(ceil_divide(shape.in_channels, kSlice));
  steps.in_rows = (steps.rows - 1) * Window::stride_y + span_y<Window>;
  steps.row_floats = WindowRow<Window>::staged(steps.quads);
  const int of_channel = steps.images * steps.in_rows * steps.row_floats;
  steps.channel_floats = static_cast<int>(round_up(of_channel - kChannelBanks, kBanks)) + kChannelBanks;
  steps.by_four = shape.width % kLanes == 0 && reinterpret_cast<uintptr_t>(input) % 16 == 0;
  return steps;
}

// Shared memory of a block: barriers, then weights, then the input. A block that does not fit twice into a
// multiprocessor has it to itself.
template <typename Tile, typename Window>
struct WindowMemory {
  static constexpr int room = kRoom, shared_room = room / Tile::blocks - 1024;
  static constexpr int lead = 2 * kAlignment;                            // room for barriers before what is aligned
  static constexpr int weight_bytes = weight_stage_bytes<Tile, Window>;  // of a row of taps
  static constexpr int staged_bytes = Tile::multipliers * Tile::channels * static_cast<int>(sizeof(float));
  static_assert(weight_bytes % kAlignment == 0);

  int input_bytes;  // of a slice
  int weight_stages;
  int bytes;  // in all

  __host__ explicit WindowMemory(const WindowSteps& steps)
      : input_bytes(steps.channel_floats * kSlice * static_cast<int>(sizeof(float))) {
    const int beside_input = lead + kInputStages * input_bytes;
    const bool is_shared = (shared_room - beside_input) / weight_bytes >= kFewestWeightStages;
    const int fitting = ((is_shared ? shared_room : room) - beside_input) / weight_bytes;
    weight_stages = fitting < kMostWeightStages ? fitting : kMostWeightStages;
    const int rings = weight_stages * weight_bytes + kInputStages * input_bytes;
    bytes = lead + (rings < staged_bytes ? staged_bytes : rings);
  }
  __host__ bool fits() const { return weight_stages >= kFewestWeightStages && bytes <= room; }
};

// The weights of a row of taps of a slice of a block's output channels are in one piece, tap after tap, rounded: rows
// of 128 bytes whose 16-byte pieces are swizzled as wgmma_operand() says. Rows of taps follow each other, then slices,
// then blocks of output channels. Channels that are not there weigh nothing.
template <typename Tile, typename Window>
__host__ int64_t window_weight_bytes(const ConvShape& shape) {
  return ceil_divide(shape.out_channels, Tile::channels) * ceil_divide(shape.in_channels, kSlice) * Window::taps *
         Tile::channels * kRowBytes;
}

// A thread makes a piece of four.
template <int kChannels, int kTaps>
__global__ void arrange_window_weights_kernel(const float* weight, int64_t in_channels, int64_t out_channels,
                                              int64_t slices, uint4* arranged, int64_t count) {
  constexpr int kPieces = kRowBytes / 16;
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int64_t row = i / kPieces % kChannels;
  const int64_t tap = i / kPieces / kChannels % kTaps;
  const int64_t slice = i / kPieces / kChannels / kTaps % slices;
  const int64_t channel = i / kPieces / kChannels / kTaps / slices * kChannels + row;
  const int64_t first = slice * kSlice + ((i ^ row) % kPieces) * kLanes;
  uint32_t words[kLanes];
#pragma unroll
  for (int word = 0; word < kLanes; ++word) {
    const bool is_there = channel < out_channels && first + word < in_channels;
    words[word] = is_there ? mma_detail::rounded_tf32(weight[(channel * in_channels + first + word) * kTaps + tap]) : 0;
  }
  arranged[i] = make_uint4(words[0], words[1], words[2], words[3]);
}

// Position in a ring: the stage, and the parity of its use.
struct StageAt {
  int stage = 0;
  uint32_t parity = 0;

  __device__ __forceinline__ void next(int stages) {
    if (++stage == stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

// Both rings' barriers. `full`: what a stage is to have has come: an arrival of each thread that copies, or one that
// counts bytes. `empty`: it is used up, one arrival a warp.
template <typename Tile, typename Window>
struct WindowRing {
  const WindowMemory<Tile, Window>& memory;
  unsigned char* weights;  // behind the barriers

  __device__ __forceinline__ WindowRing(unsigned char* shared, const WindowMemory<Tile, Window>& memory)
      : memory(memory) {
    const auto misaligned = static_cast<uint32_t>(reinterpret_cast<uintptr_t>(shared) % kAlignment);
    weights = shared + WindowMemory<Tile, Window>::lead - misaligned;
  }

  __device__ __forceinline__ uint64_t* barriers() const {
    static_assert(2 * (kInputStages + kMostWeightStages) * sizeof(uint64_t) <= kAlignment);
    return reinterpret_cast<uint64_t*>(weights - kAlignment);
  }
  __device__ __forceinline__ uint64_t* full_input(int stage) const { return barriers() + stage; }
  __device__ __forceinline__ uint64_t* empty_input(int stage) const { return barriers() + kInputStages + stage; }
  __device__ __forceinline__ uint64_t* full_weights(int stage) const { return barriers() + 2 * kInputStages + stage; }
  __device__ __forceinline__ uint64_t* empty_weights(int stage) const {
    return full_weights(kMostWeightStages + stage);
  }

  __device__ __forceinline__ void init() const {
    if (threadIdx.x == 0) {
      constexpr int kWarps = Tile::multipliers / kWarpThreads;
      for (int stage = 0; stage < kInputStages; ++stage) {
        ptx::mbarrier_init(full_input(stage), input_bringers<Tile>);
        ptx::mbarrier_init(empty_input(stage), kWarps);
      }
      for (int stage = 0; stage < memory.weight_stages; ++stage) {
        ptx::mbarrier_init(full_weights(stage), 1);
        ptx::mbarrier_init(empty_weights(stage), kWarps);
      }
      ptx::mbarrier_fence_init();
    }
    __syncthreads();
  }

  __device__ __forceinline__ unsigned char* weights_of(int stage) const {
    return weights + stage * WindowMemory<Tile, Window>::weight_bytes;
  }
  __device__ __forceinline__ float* input_of(int stage) const {
    return reinterpret_cast<float*>(weights_of(memory.weight_stages) + stage * memory.input_bytes);
  }
};

// By one thread of each warp that multiplies, once the warp has used a stage up.
__device__ __forceinline__ void release(uint64_t* empty) {
  if (threadIdx.x % kWarpThreads == 0) {
    ptx::mbarrier_arrive(empty);
  }
}

// Where a tile begins.
struct TilePlace {
  int64_t image;
  int y;
  int x;
  int block_of_channels;

  __device__ __forceinline__ TilePlace(const WindowSteps& steps, int unit) {
    block_of_channels = unit % steps.blocks_of_channels;
    const int tile = unit / steps.blocks_of_channels;
    const int rows = tile / steps.segments;
    x = tile % steps.segments * steps.quads * kLanes;
    y = rows % steps.row_tiles * steps.rows;
    image = static_cast<int64_t>(rows / steps.row_tiles) * steps.images;
  }
};

// This thread's elements of every channel of a slice, kCount neighbouring ones at a time. What lies outside of the
// images is zero.
template <typename Tile, typename Window, int kCount>
__device__ __forceinline__ void bring_slice(const ConvShape& shape, const WindowSteps& steps, const TilePlace& tile,
                                            const float* input, int first_channel, float* stage) {
  const int thread = static_cast<int>(threadIdx.x) - Tile::multipliers;
  const int of_row = steps.row_floats / kCount;
  const int64_t plane = shape.height * shape.width;
  const int64_t left = shape.in_channels - first_channel;
#pragma unroll 1
  for (int i = thread; i < steps.images * steps.in_rows * of_row; i += input_bringers<Tile>) {
    const int row = i / of_row;
    const int64_t image = tile.image + row / steps.in_rows;
    const int y = tile.y * Window::stride_y - Window::padding_y + row % steps.in_rows;
    const int x = tile.x * Window::stride_x - WindowRow<Window>::begin + i % of_row * kCount;
    const bool is_there = image < shape.batch && y >= 0 && y < shape.height && x >= 0 && x < shape.width;
    const float* from =
        is_there ? input + (image * shape.in_channels + first_channel) * plane + y * shape.width + x : input;
    float* to = stage + i * kCount;
#pragma unroll 4
    for (int channel = 0; channel < kSlice; ++channel) {
      const bool is_read = is_there && channel < left;
      if constexpr (kCount == kLanes) {
        ptx::cp_async_16(to, is_read ? from : input, is_read ? 16 : 0);
      } else {
        ptx::cp_async_4_or_zero(to, is_read ? from : input, is_read);
      }
      from += is_there ? plane : 0;
      to += steps.channel_floats;
    }
  }
}

template <typename Tile, typename Window>
__device__ __forceinline__ void bring_input(const WindowRing<Tile, Window>& ring, const ConvShape& shape,
                                            const WindowSteps& steps, const TilePlace& tile, const SliceRange& range,
                                            const float* input) {
  StageAt at;
#pragma unroll 1
  for (int slice = range.first; slice < range.first + range.count; ++slice) {
    ptx::mbarrier_wait(ring.empty_input(at.stage), at.parity ^ 1);  // a phase before the first counts as ended
    if (steps.by_four) {
      bring_slice<Tile, Window, kLanes>(shape, steps, tile, input, slice * kSlice, ring.input_of(at.stage));
    } else {
      bring_slice<Tile, Window, 1>(shape, steps, tile, input, slice * kSlice, ring.input_of(at.stage));
    }
    ptx::cp_async_arrive(ring.full_input(at.stage));
    at.next(kInputStages);
  }
}

// By one thread.
template <typename Tile, typename Window>
__device__ __forceinline__ void bring_weights(const WindowRing<Tile, Window>& ring, const WindowSteps& steps,
                                              const TilePlace& tile, const SliceRange& range,
                                              const unsigned char* arranged) {
  constexpr int kBytes = WindowMemory<Tile, Window>::weight_bytes;
  const int64_t first = static_cast<int64_t>(tile.block_of_channels) * steps.slices + range.first;
  const unsigned char* from = arranged + first * Window::kernel_y * kBytes;
  StageAt at;
#pragma unroll 1
  for (int row = 0; row < range.count * Window::kernel_y; ++row) {
    ptx::mbarrier_wait(ring.empty_weights(at.stage), at.parity ^ 1);
    ptx::mbarrier_arrive_expecting(ring.full_weights(at.stage), kBytes);
    ptx::bulk_copy(ring.weights_of(at.stage), from, kBytes, ring.full_weights(at.stage));
    from += kBytes;
    at.next(ring.memory.weight_stages);
  }
}

}  // namespace window_detail

}  // namespace stitch
