// SPDX-License-Identifier: Apache-2.0
// A tile of images in shared memory, filled along one of its sides and emptied along the other: groups of four
// neighbours at a time, or element by element. Threads of a warp take eight groups of four places each, so that neither
// side meets a bank twice where a row of the tile has 32 elements or more.
#pragma once

#include <type_traits>

#include "kernels/common.cuh"

namespace stitch {

// Pixels and channels that a block turns at a time. Few channels leave room for more pixels.
template <int kPixels, int kChannels>
struct TurnTile {
  static constexpr int pixels = kPixels;
  static constexpr int channels = kChannels;
  static constexpr int pitch = kChannels + 1;  // odd: neither side meets a bank twice
  static constexpr int floats = kPixels * pitch;
  static constexpr int threads = 256;
  static constexpr int steps = kPixels * kChannels / threads;
  static_assert(kPixels % 4 == 0 && kChannels % 4 == 0 && steps % 4 == 0 && kPixels * kChannels % threads == 0,
                "every thread turns as many groups as the others, at least one");
};

namespace turn_detail {

constexpr int kTurnLanes = 4;
constexpr int kWarp = 32;

// One side of a tile, in memory: rows of `along` elements that lie side by side, `across` of them, `stride` elements
// apart. What hangs over the image is left out.
struct TileSide {
  int along;
  int across;
  int64_t stride;
  bool wide;  // groups of four may be accessed as one: `along` is a multiple of four
};

// Which elements a thread takes, of rows of kAlong elements, kAcross rows.
template <int kAlong, int kAcross, int kThreads>
struct TileWalk {
  static constexpr int steps = kAlong * kAcross / kThreads;
  static constexpr int groups = steps / kTurnLanes;
  // Groups side by side that a warp takes at a time.
  static constexpr int groups_of_row = kAlong / kTurnLanes;
  static constexpr int wide = groups_of_row < 8 ? groups_of_row : 8;
  static constexpr int high = kWarp / wide;
  static_assert(kAcross % high == 0 && groups_of_row % wide == 0);

  struct Where {
    int along;
    int across;
  };
  // What a thread takes lies in one row of the tile or in one column: what is known of it is found out once.
  static __device__ __forceinline__ Where group(int step) {
    constexpr unsigned kWarps = kThreads / kWarp;
    constexpr unsigned kPatches = groups_of_row / wide;  // side by side
    const unsigned lane = threadIdx.x % kWarp;
    const Where patch = place_of<kPatches, kWarps>(threadIdx.x / kWarp, step);
    return {(patch.along * wide + static_cast<int>(lane % wide)) * kTurnLanes,
            patch.across * high + static_cast<int>(lane / wide)};
  }
  static __device__ __forceinline__ Where element(int step) { return place_of<kAlong, kThreads>(threadIdx.x, step); }

 private:
  // Of `kTakers` that go over rows of kRow places together.
  template <unsigned kRow, unsigned kTakers>
  static __device__ __forceinline__ Where place_of(unsigned taker, int step) {
    if constexpr (kRow >= kTakers) {
      constexpr int kOfRow = kRow / kTakers;
      return {static_cast<int>(taker) + step % kOfRow * static_cast<int>(kTakers), step / kOfRow};
    } else {
      return {static_cast<int>(taker % kRow), static_cast<int>(taker / kRow) + step * static_cast<int>(kTakers / kRow)};
    }
  }
};

// A tile whose rows lie along its pixels or along its channels.
template <typename Tile, bool kAlongPixels>
struct TileRows {
  using Walk = std::conditional_t<kAlongPixels, TileWalk<Tile::pixels, Tile::channels, Tile::threads>,
                                  TileWalk<Tile::channels, Tile::pixels, Tile::threads>>;
  using Group = Lanes<float, kTurnLanes>;
  float* tile;

  __device__ __forceinline__ float& at(int along, int across) const {
    return kAlongPixels ? tile[along * Tile::pitch + across] : tile[across * Tile::pitch + along];
  }

  // Reads the tile from memory, all of it before anything is kept.
  __device__ __forceinline__ void fill(const float* from, const TileSide& side) const {
    if (side.wide) {
      fill_by_groups(from, side);
    } else {
      fill_by_elements(from, side);
    }
  }

  // take(along, across, group) and take(along, across, value), of what lies inside.
  template <typename Take>
  __device__ __forceinline__ void for_each_group(const TileSide& side, const Take& take) const {
#pragma unroll
    for (int step = 0; step < Walk::groups; ++step) {
      const auto where = Walk::group(step);
      if (where.along < side.along && where.across < side.across) {
        Group values;
#pragma unroll
        for (int lane = 0; lane < kTurnLanes; ++lane) {
          values[lane] = at(where.along + lane, where.across);
        }
        take(where.along, where.across, values);
      }
    }
  }

  template <typename Take>
  __device__ __forceinline__ void for_each(const TileSide& side, const Take& take) const {
#pragma unroll
    for (int step = 0; step < Walk::steps; ++step) {
      const auto where = Walk::element(step);
      if (where.along < side.along && where.across < side.across) {
        take(where.along, where.across, at(where.along, where.across));
      }
    }
  }

 private:
  __device__ __forceinline__ void fill_by_groups(const float* from, const TileSide& side) const {
    Group held[Walk::groups];
#pragma unroll
    for (int step = 0; step < Walk::groups; ++step) {
      const auto where = Walk::group(step);
      const bool inside = where.along < side.along && where.across < side.across;
      held[step] = inside ? load_lanes<kTurnLanes>(from + where.across * side.stride + where.along)
                          : broadcast_lanes<kTurnLanes>(0.0f);
    }
#pragma unroll
    for (int step = 0; step < Walk::groups; ++step) {
      const auto where = Walk::group(step);
#pragma unroll
      for (int lane = 0; lane < kTurnLanes; ++lane) {
        at(where.along + lane, where.across) = held[step][lane];
      }
    }
  }

  __device__ __forceinline__ void fill_by_elements(const float* from, const TileSide& side) const {
    float held[Walk::steps];
#pragma unroll
    for (int step = 0; step < Walk::steps; ++step) {
      const auto where = Walk::element(step);
      const bool inside = where.along < side.along && where.across < side.across;
      held[step] = inside ? from[where.across * side.stride + where.along] : 0.0f;
    }
#pragma unroll
    for (int step = 0; step < Walk::steps; ++step) {
      const auto where = Walk::element(step);
      at(where.along, where.across) = held[step];
    }
  }
};

}  // namespace turn_detail
}  // namespace stitch
