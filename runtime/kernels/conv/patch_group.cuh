// SPDX-License-Identifier: Apache-2.0
// What a warpgroup multiplies from a patch: its places, the patch under them, the weights of a tap as the tensor cores
// read them, and where all of it lies in a block's shared memory.
#pragma once

#include "kernels/conv/patch_eights.cuh"
#include "kernels/conv/patch_weights.cuh"

namespace stitch {

// A warpgroup's places, 256 of them, in rows of kWidth; and the planes of eight channels that are multiplied at a time,
// an even number.
template <int kWidth, int kPlanes>
struct GroupTile {
  static constexpr int places = 256;
  static constexpr int channels = 64;
  static constexpr int width = kWidth;
  static constexpr int height = places / kWidth;
  static constexpr int planes = kPlanes;
  // A product is eight places of each row, or a row where rows are as long.
  static constexpr bool is_by_rows = width >= 64;
  static constexpr int parts = is_by_rows ? height : width / 8;
  static constexpr int columns = places / parts;  // of a product
  static constexpr int multipliers = 256;         // threads
  static constexpr int threads = multipliers + 128;
  // Whether two places are stored together where rows begin at even places: with more rows registers are short.
  static constexpr bool has_pairs = height <= 8;
  static_assert(kPlanes % 2 == 0 && kWidth % 16 == 0);
};

namespace patch_detail {

constexpr int kGroups = 2;          // of warps, that multiply
constexpr int kBuffers = 2;         // of patches, each group's
constexpr int kMostStages = 64;     // of weights
constexpr int kBlocksAtOnce = 132;  // of an H200
constexpr int kBarrierBytes = 2048;
constexpr int kRoomOfGroups = 227 << 10;

template <typename Tile, typename Window>
struct GroupPatch {
  using Axes = PatchAxes<Window>;
  static_assert(Axes::phases == 1 && Axes::X::step == 1 && Axes::Y::step == 1 && Axes::Z::step == 1);
  static constexpr int height = Axes::Y::extent(Tile::height);
  static constexpr int width = Axes::X::extent(Tile::width);
  static constexpr int plane_bytes = height * width * kPlaceBytes;
  static constexpr int bytes = (Tile::planes * plane_bytes + 127) / 128 * 128;
  static constexpr int taps = Axes::Y::kernel * Axes::X::kernel;  // that read a patch: those of one z
  static constexpr int plane_of_weights = Tile::channels * kPlaceBytes;
  static constexpr int stage_bytes = Tile::planes * plane_of_weights;  // the weights of a tap
  // From eight places to the next eight of a product.
  static constexpr int eight_bytes = (Tile::is_by_rows ? kEight : width) * kPlaceBytes;
  // From a product's first place to the next one's.
  static constexpr int part_bytes = (Tile::is_by_rows ? width : kEight) * kPlaceBytes;
  static constexpr int fixed_bytes = kBarrierBytes + kGroups * kBuffers * bytes;
  static constexpr bool fits = fixed_bytes + 4 * stage_bytes <= kRoomOfGroups;

  // Of a block's weights in shared memory at a time: all of them, or a ring.
  static __host__ int stages(int64_t all) {
    constexpr int kRoom = (kRoomOfGroups - fixed_bytes) / stage_bytes;
    constexpr int kMost = kRoom < kMostStages ? kRoom : kMostStages;
    return static_cast<int>(all < kMost ? all : kMost);
  }
};

// Weights lie by block of output channels, slice, tap, plane, output channel and channel of the plane.
template <typename Tile, typename Window>
struct GroupWeights {
  using Patch = GroupPatch<Tile, Window>;
  WeightTiles tiles;

  __host__ explicit GroupWeights(const ConvShape& shape)
      : tiles(shape, Tile::channels / kRowsOfTile, Tile::planes * kEight) {}

  __host__ __device__ int64_t stages() const { return tiles.slices * Window::taps; }  // of a block
  __host__ int64_t bytes() const { return tiles.blocks_of_group * stages() * Patch::stage_bytes; }
};

// A thread arranges the weights of an output channel for a plane and a tap.
template <typename Tile, typename Window>
__global__ void arrange_eights_kernel(ConvShape shape, GroupWeights<Tile, Window> layout, const float* weight,
                                      const float* unscale, uint4* arranged, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  const int64_t plane = i / Tile::channels % Tile::planes;
  const int64_t tap = i / (Tile::channels * Tile::planes) % Window::taps;
  const int64_t slice = i / (Tile::channels * Tile::planes * Window::taps) % layout.tiles.slices;
  const int64_t channel =
      i / (Tile::channels * Tile::planes * Window::taps) / layout.tiles.slices * Tile::channels + i % Tile::channels;
  const int64_t first = (slice * Tile::planes + plane) * kEight;
  // The scale is a power of two, and so is what it is divided into. A channel without one has no products.
  const float inverse = 1.0f / unscale[channel];
  const float scale = inverse == inverse ? inverse : 0.0f;
  uint32_t words[kEight / 2];
#pragma unroll
  for (int word = 0; word < kEight / 2; ++word) {
    float values[2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int64_t input = first + 2 * word + half;
      values[half] = channel < shape.out_channels && input < shape.in_channels && scale != 0
                         ? weight[weight_place<Window>(shape, 0, channel, input) + tap] * scale
                         : 0.0f;
    }
    words[word] = ptx::pack_fp16x2(values[0], values[1]);
  }
  arranged[i] = make_uint4(words[0], words[1], words[2], words[3]);
}

template <typename Tile, typename Window>
cudaError_t launch_arrange_eights(const ConvShape& shape, const GroupWeights<Tile, Window>& layout, const float* weight,
                                  const float* unscale, uint4* arranged, cudaStream_t stream) {
  constexpr int kThreads = 128;
  const int64_t count = layout.bytes() / static_cast<int64_t>(sizeof(uint4));
  arrange_eights_kernel<Tile, Window><<<static_cast<unsigned>(ceil_divide(count, kThreads)), kThreads, 0, stream>>>(
      shape, layout, weight, unscale, arranged, count);
  return cudaGetLastError();
}

// What a launch keeps in its scratch memory, which is aligned to 16 bytes.
template <typename Tile, typename Window>
struct GroupScratch {
  GroupWeights<Tile, Window> weights;
  EightPlanes planes;
  int64_t unscale_at;
  int64_t ranges_at;
  int64_t eights_at;
  int64_t bytes;

  __host__ explicit GroupScratch(const ConvShape& shape)
      : weights(shape),
        planes(EightPlanes::of<Window>(shape, Tile::planes)),
        unscale_at(weights.bytes()),
        ranges_at(unscale_at + weights.tiles.channels(shape) * int64_t{sizeof(float)}),
        eights_at(ranges_at + shape.batch * int64_t{sizeof(ImageRange)}),
        bytes(eights_at + shape.batch * planes.image_bytes()) {}
};

}  // namespace patch_detail

}  // namespace stitch
