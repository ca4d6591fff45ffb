// SPDX-License-Identifier: Apache-2.0
// Which tiles, patches and weights a block of kernels/conv/patch_wgmma.cuh takes. A block stays with its output
// channels and, of a transposed convolution, with one phase along z and one along y, so that it needs the weights of
// their taps alone; phases with more to do have more blocks.
#pragma once

#include "kernels/conv/patch_group.cuh"

namespace stitch {

namespace patch_detail {

// What all blocks know of their work.
template <typename Tile, typename Window>
struct GroupSteps {
  using Patch = GroupPatch<Tile, Window>;
  PixelIndex<Window::rank> tiles;
  int count;                        // of tiles
  int channel_blocks;               // of output channels
  int slices;                       // of input channels
  int stages;                       // of weights in shared memory
  int pitch;                        // of the rows of a layer
  int places_of_layer;              // that have outputs, and those between them
  int blocks[Patch::phases_apart];  // of each phase and block of output channels

  __host__ int all_blocks() const {
    int all = 0;
    for (const int of_phase : blocks) {
      all += of_phase;
    }
    return all * channel_blocks;
  }
};

// A block's own.
template <typename Tile, typename Window>
struct OwnSteps {
  using Axes = PatchAxes<Window>;
  using Patch = GroupPatch<Tile, Window>;
  int channel_block;
  int phase_z;
  int phase_y;
  int first;  // tile
  int step;   // from a warpgroup's tile to its next
  int rounds;
  int patches;         // of a tile: slices, by taps along z and, of a line, along y
  int stages;          // of weights that shared memory has at a time
  bool holds_weights;  // all that the block needs
  int patches_ahead;   // where the second warpgroup begins
  int taps_ahead;

  __device__ __forceinline__ explicit OwnSteps(const GroupSteps<Tile, Window>& steps) {
    channel_block = static_cast<int>(blockIdx.x) % steps.channel_blocks;
    int number = static_cast<int>(blockIdx.x) / steps.channel_blocks;
    int phase = 0;
    int blocks = steps.blocks[0];
#pragma unroll
    for (int i = 0; i + 1 < Patch::phases_apart; ++i) {  // or the numbers would lie in local memory
      if (phase == i && number >= blocks) {
        number -= blocks;
        blocks = steps.blocks[i + 1];
        phase = i + 1;
      }
    }
    phase_z = phase / Axes::Y::phases;
    phase_y = phase % Axes::Y::phases;
    first = number * kGroups;
    step = blocks * kGroups;
    rounds = (steps.count - first + step - 1) / step;
    patches = steps.slices * Patch::patches_of_slice(phase);
    holds_weights = all_stages() <= steps.stages;
    stages = holds_weights ? max(all_stages(), 1) : steps.stages;
    const bool by_patches = patches > 1;
    patches_ahead = !holds_weights && by_patches ? patches / 2 : 0;
    taps_ahead = !holds_weights && !by_patches && Patch::phases == 1 ? Patch::taps / 2 : 0;
  }

  __device__ __forceinline__ int all_stages() const { return patches * Patch::taps; }
  __device__ __forceinline__ int stages_ahead() const { return patches_ahead * Patch::taps + taps_ahead; }
  // All tiles are multiplied in as many rounds, which the compiler has to see; what the second warpgroup lacks in the
  // last one is the last tile again, and not stored.
  __device__ __forceinline__ int tile(int round, int group) const { return first + round * step + group; }
  __device__ __forceinline__ int next_patch(int patch) const { return patch + 1 == patches ? 0 : patch + 1; }
};

// A patch of a tile: a slice of input channels, and taps of it; of a grid all along y.
template <typename Tile, typename Window>
struct PatchOfTile {
  using Z = typename PatchAxes<Window>::Z;
  using Y = typename PatchAxes<Window>::Y;
  int slice;
  int tap_z;
  int tap_y;

  __device__ __forceinline__ PatchOfTile(const OwnSteps<Tile, Window>& own, int number) {
    const int lines = Tile::is_line ? taps_of_phase<Y>(own.phase_y) : 1;
    const int of_slice = GroupPatch<Tile, Window>::patches_of_slice(own.phase_z * Y::phases + own.phase_y);
    slice = number / of_slice;
    tap_z = tap_of_phase<Z>(own.phase_z, number % of_slice / lines);
    tap_y = Tile::is_line ? tap_of_phase<Y>(own.phase_y, number % lines) : 0;
  }

  // Of the window; those that read the patch follow.
  __device__ __forceinline__ int first_tap() const {
    return (tap_z * GroupPatch<Tile, Window>::taps_y + tap_y) * PatchAxes<Window>::X::kernel;
  }
};

// The first place of a tile.
template <typename Tile, typename Window>
__device__ __forceinline__ PatchPlace first_place(const GroupSteps<Tile, Window>& steps, int tile) {
  const PixelPlace place = steps.tiles.place(min(tile, steps.count - 1));
  const auto z = static_cast<int>(place.z);
  if constexpr (Tile::is_line) {
    const int number = static_cast<int>(place.x) * Tile::places;
    return {place.n, z, number / steps.pitch, number % steps.pitch};
  }
  return {place.n, z, static_cast<int>(place.y) * Tile::height, static_cast<int>(place.x) * Tile::width};
}

// Of each block of output channels; what a phase costs is storing it, or multiplying it where that takes longer. Each
// phase has a block at least.
template <typename Tile, typename Window>
__host__ void share_blocks(GroupSteps<Tile, Window>& steps, int blocks) {
  using Patch = GroupPatch<Tile, Window>;
  constexpr int64_t kStored = 24, kBesides = 4;  // products of a tap and sixteen input channels that take as long
  int64_t costs[Patch::phases_apart];
  int64_t all = 0;
  for (int phase = 0; phase < Patch::phases_apart; ++phase) {
    const int64_t products = int64_t{steps.slices} * Patch::patches_of_slice(phase) * Patch::taps * Tile::planes / 2;
    costs[phase] = kBesides + (products > kStored ? products : kStored);
    all += costs[phase];
  }
  const int pairs = (steps.count + kGroups - 1) / kGroups;
  for (int phase = 0; phase < Patch::phases_apart; ++phase) {
    const auto share = static_cast<int>((blocks * costs[phase] + all / 2) / all);
    const int own = share > 0 ? share : 1;
    steps.blocks[phase] = own < pairs ? own : pairs;
  }
}

template <typename Tile, typename Window>
GroupSteps<Tile, Window> group_steps(const ConvShape& shape, const GroupWeights<Tile, Window>& weights,
                                     const EightPlanes& planes, int blocks_at_once, bool is_staged) {
  using Axes = PatchAxes<Window>;
  const int64_t depth = ceil_divide(Axes::Z::places(shape.out_depth), Tile::deep);
  const int64_t rows = ceil_divide(Axes::Y::places(shape.out_height), Tile::high);
  const int64_t columns = Axes::X::places(shape.out_width);
  const int64_t places = (rows - 1) * planes.width + columns;
  const int64_t down = Tile::is_line ? 1 : ceil_divide(rows, Tile::height);
  const int64_t across = Tile::is_line ? ceil_divide(places, Tile::places) : ceil_divide(columns, Tile::width);
  GroupSteps<Tile, Window> steps{PixelIndex<Window::rank>(depth, down, across),
                                 static_cast<int>(shape.batch * depth * down * across),
                                 static_cast<int>(weights.tiles.blocks_of_group),
                                 static_cast<int>(weights.tiles.slices),
                                 GroupPatch<Tile, Window>::stages(weights.stages(), is_staged),
                                 planes.width,
                                 static_cast<int>(places),
                                 {}};
  share_blocks<Tile, Window>(steps,
                             blocks_at_once / steps.channel_blocks > 0 ? blocks_at_once / steps.channel_blocks : 1);
  return steps;
}

}  // namespace patch_detail

}  // namespace stitch
