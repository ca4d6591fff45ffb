// SPDX-License-Identifier: Apache-2.0
// What a warpgroup multiplies from a patch: its places, the patch under them, the weights of a tap as the tensor cores
// read them, and where all of it lies in a block's shared memory.
#pragma once

#include "kernels/conv/patch_eights.cuh"
#include "kernels/conv/patch_weights.cuh"

namespace stitch {

// A warpgroup's places in rows of kWidth; and the planes of eight channels that are multiplied at a time, an even
// number. One row is a line: places of a layer in their order, those behind the end of a row of the layer included. A
// line has 256 places of one phase along x, 128 of two, 64 of three or four, 32 of up to eight.
// Where output channels are few, a place of a convolution of stride one is kDeep * kHigh neighbouring outputs along z
// and y, whose channels fill up the 64 rows of a product. Where taps of one meet no tap of the other, zeros are
// multiplied: a fourth of all products of three taps.
template <int kWidth, int kPlanes, int kPlaces = 256, int kDeep = 1, int kHigh = 1>
struct GroupTile {
  static constexpr int rows = 64;  // of a product
  static constexpr int deep = kDeep;
  static constexpr int high = kHigh;
  static constexpr int places = kPlaces;
  static constexpr int channels = rows / (kDeep * kHigh);
  static constexpr int width = kWidth;
  static constexpr int height = places / kWidth;
  static constexpr bool is_line = height == 1;
  static constexpr int planes = kPlanes;
  // A product is eight places of each row, or a row where rows are as long.
  static constexpr bool is_by_rows = is_line || width >= 64;
  static constexpr int parts = is_by_rows ? height : width / 8;
  static constexpr int columns = places / parts;  // of a product
  static constexpr int multipliers = 256;         // threads
  static constexpr int threads = multipliers + 128;
  static_assert(kPlanes % 2 == 0 && kWidth % 16 == 0 && channels % 16 == 0);
  static_assert(kDeep * kHigh == 1 || !is_line);
};

namespace patch_detail {

constexpr int kGroups = 2;          // of warps, that multiply
constexpr int kMostBuffers = 4;     // of patches, each group's
constexpr int kMostStages = 64;     // of weights
constexpr int kBlocksAtOnce = 132;  // of an H200
constexpr int kBarrierBytes = 2048;
constexpr int kRoomOfGroups = 227 << 10;

// Outputs of a place along x are summed up side by side; phases along y and z are apart, each tile has one of them.
template <typename Tile, typename Window>
struct GroupPatch {
  using Axes = PatchAxes<Window>;
  static constexpr int phases = Axes::X::phases;
  static constexpr int phases_apart = Axes::Z::phases * Axes::Y::phases;
  static_assert(Axes::X::step == 1 && Axes::Y::step == 1 && Axes::Z::step == 1);
  static_assert(Tile::is_line || phases * phases_apart == 1);
  static_assert(phases * Tile::places <= 256);
  // One output further is one tap before.
  static_assert(Tile::deep * Tile::high == 1 ||
                ((Tile::deep == 1 || Window::dilation_z == 1) && (Tile::high == 1 || Window::dilation_y == 1)));
  static constexpr int height = Tile::is_line ? 1 : Axes::Y::extent(Tile::height * Tile::high);
  static constexpr int width = Axes::X::extent(Tile::width);
  static constexpr int plane_bytes = height * width * kPlaceBytes;
  static constexpr int bytes = (Tile::planes * plane_bytes + 127) / 128 * 128;
  static constexpr int buffers = !Tile::is_line ? 2 : Tile::planes > 4 ? 3 : kMostBuffers;  // a line is soon multiplied
  // What a place reads; taps, if it is one output.
  static constexpr int taps_z = Axes::Z::kernel + Tile::deep - 1;
  static constexpr int taps_y = Axes::Y::kernel + Tile::high - 1;
  static constexpr int all_taps = taps_z * taps_y * Axes::X::kernel;
  // That read a patch: those of one z, or of a line those of one z and one y.
  static constexpr int taps = (Tile::is_line ? 1 : taps_y) * Axes::X::kernel;
  static constexpr int plane_of_weights = Tile::rows * kPlaceBytes;
  static constexpr int stage_bytes = Tile::planes * plane_of_weights;  // the weights of a tap
  // From eight places to the next eight of a product.
  static constexpr int eight_bytes = (Tile::is_by_rows ? kEight : width * Tile::high) * kPlaceBytes;
  // From a product's first place to the next one's.
  static constexpr int part_bytes = (Tile::is_by_rows ? width * Tile::high : kEight) * kPlaceBytes;
  // Rows of a layer are as long as so many places: of a line, neither a thread's two places nor, where there is one
  // phase, the four that are stored together may lie in two rows.
  static constexpr int together = !Tile::is_line ? 1 : phases == 1 ? 8 : 2;
  static constexpr int shortest = Tile::is_line ? 32 : 1;  // of their lengths: steps of a line end in the next row
  static constexpr int fixed_bytes = kBarrierBytes + kGroups * buffers * bytes;
  // Where a warp lays outputs of sixteen channels beside each other that cannot be stored by four: pieces of eight
  // places, a line of at least 32 outputs if there are as many.
  static constexpr int pieces = phases == 1 ? 4 : phases == 2 ? 2 : 1;
  static constexpr int staged = pieces * 8 * phases;
  static constexpr int pitch = staged + (phases == 2 ? 16 : 8);
  static constexpr int staged_bytes = kRowsOfTile * pitch * static_cast<int>(sizeof(float));
  static constexpr int all_staged_bytes = Tile::multipliers / 32 * staged_bytes;
  static constexpr bool fits = fixed_bytes + all_staged_bytes + 4 * stage_bytes <= kRoomOfGroups;

  // Of a block's weights in shared memory at a time: all of them, or a ring.
  static __host__ int stages(int64_t all, bool is_staged) {
    const int room = (kRoomOfGroups - fixed_bytes - (is_staged ? all_staged_bytes : 0)) / stage_bytes;
    const int most = room < kMostStages ? room : kMostStages;
    return static_cast<int>(all < most ? all : most);
  }
  // Of each slice, by phases along z and y that are apart.
  static __host__ __device__ constexpr int patches_of_slice(int phase) {
    const int along_z = Tile::deep > 1 ? taps_z : taps_of_phase<typename Axes::Z>(phase / Axes::Y::phases);
    return along_z * (Tile::is_line ? taps_of_phase<typename Axes::Y>(phase % Axes::Y::phases) : 1);
  }

  // How far behind a place's first element a tap reads.
  static __host__ __device__ constexpr int offset_z(int tap) {
    return Tile::deep > 1 ? tap : Axes::Z::offset(Axes::Z::shift(tap));
  }
  static __host__ __device__ constexpr int offset_y(int tap) {
    return Tile::high > 1 ? tap : Axes::Y::offset(Axes::Y::shift(tap));
  }
  // The window's tap by which an output of a place reads there; beyond the window where there is none.
  template <typename Axis>
  static __host__ __device__ constexpr int tap_of_output(int tap, int output, int outputs) {
    return outputs == 1 ? tap : Window::transposed ? Axis::kernel - 1 - tap + output : tap - output;
  }
};

// Weights lie by block of output channels, slice, tap, plane, output of a place, output channel and channel of the
// plane.
template <typename Tile, typename Window>
struct GroupWeights {
  using Patch = GroupPatch<Tile, Window>;
  WeightTiles tiles;

  __host__ explicit GroupWeights(const ConvShape& shape)
      : tiles(shape, Tile::channels / kRowsOfTile, Tile::planes * kEight) {}

  // Of a block, whatever its phase.
  __host__ int64_t stages() const {
    int most = 0;
    for (int phase = 0; phase < Patch::phases_apart; ++phase) {
      const int own = Patch::patches_of_slice(phase);
      most = own > most ? own : most;
    }
    return tiles.slices * most * Patch::taps;
  }
  __host__ int64_t bytes() const { return tiles.blocks_of_group * tiles.slices * Patch::all_taps * Patch::stage_bytes; }
};

// Of a row of a product: which channel of a block, and the window's tap. None where a place's other outputs read alone.
template <typename Tile, typename Window>
struct TapOfRow {
  int channel;
  int tap;
  bool is_there;

  __device__ __forceinline__ TapOfRow(int row, int tap_of_place) : channel(row % Tile::channels) {
    using Axes = PatchAxes<Window>;
    using Patch = GroupPatch<Tile, Window>;
    const int output = row / Tile::channels;
    const int place_z = tap_of_place / (Patch::taps_y * Axes::X::kernel);
    const int place_y = tap_of_place / Axes::X::kernel % Patch::taps_y;
    const int z = Patch::template tap_of_output<typename Axes::Z>(place_z, output / Tile::high, Tile::deep);
    const int y = Patch::template tap_of_output<typename Axes::Y>(place_y, output % Tile::high, Tile::high);
    is_there = z >= 0 && z < Axes::Z::kernel && y >= 0 && y < Axes::Y::kernel;
    tap = (z * Axes::Y::kernel + y) * Axes::X::kernel + tap_of_place % Axes::X::kernel;
  }
};

// A thread arranges the weights of a row of a product for a plane and a tap.
template <typename Tile, typename Window>
__global__ void arrange_eights_kernel(ConvShape shape, GroupWeights<Tile, Window> layout, const float* weight,
                                      const float* unscale, uint4* arranged, int64_t count) {
  const int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) {
    return;
  }
  constexpr int kTaps = GroupPatch<Tile, Window>::all_taps;
  const int64_t plane = i / Tile::rows % Tile::planes;
  const TapOfRow<Tile, Window> row(static_cast<int>(i % Tile::rows),
                                   static_cast<int>(i / (Tile::rows * Tile::planes) % kTaps));
  const int64_t slice = i / (Tile::rows * Tile::planes * kTaps) % layout.tiles.slices;
  const int64_t channel = i / (Tile::rows * Tile::planes * kTaps) / layout.tiles.slices * Tile::channels + row.channel;
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
      values[half] = row.is_there && channel < shape.out_channels && input < shape.in_channels && scale != 0
                         ? weight[weight_place<Window>(shape, 0, channel, input) + row.tap] * scale
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
        planes(EightPlanes::of<Window, Tile>(shape, GroupPatch<Tile, Window>::together,
                                             GroupPatch<Tile, Window>::shortest)),
        unscale_at(weights.bytes()),
        ranges_at(unscale_at + weights.tiles.channels(shape) * int64_t{sizeof(float)}),
        eights_at(ranges_at + shape.batch * int64_t{sizeof(ImageRange)}),
        bytes(eights_at + shape.batch * planes.image_bytes()) {}
};

}  // namespace patch_detail

}  // namespace stitch
