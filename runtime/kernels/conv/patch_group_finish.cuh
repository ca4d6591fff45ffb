// SPDX-License-Identifier: Apache-2.0
// From a warpgroup's sums to its outputs: neighbouring lanes trade halves of two products that lie beside each other,
// or of two rows, so that each has four places beside each other; where rows begin at an even place alone, lanes of
// neighbouring channels trade, so that eight have sixteen places of one; and again by plain arithmetic where a sum is
// not finite.
#pragma once

#include "kernels/conv/patch_finish.cuh"
#include "kernels/conv/patch_group.cuh"

namespace stitch {

namespace patch_detail {

template <typename Tile>
using GroupSums = float[Tile::parts][Tile::columns / 2];

// Where a lane's places of the eight in column `eight` of product `part` begin, from the tile's first.
template <typename Tile>
struct EightPlace {
  int y;
  int x;

  __device__ __forceinline__ EightPlace(int part, int eight)
      : y(Tile::is_by_rows ? part : eight), x((Tile::is_by_rows ? eight : part) * kEight) {}
};

// A warp's sixteen channels of a tile. Made before the tile is multiplied, so that nobody waits for the scales.
struct GroupOutputs {
  PatchPlace place;  // of the tile
  int first;         // of the warp's channels
  int channel;       // this lane's first; the other is eight further
  float unscale[2];  // of the lane's channels; NaN where fp16 does not hold an operand

  __device__ __forceinline__ GroupOutputs(const PatchScales& scales, const PatchPlace& place, int first_channel)
      : place(place),
        first(first_channel + static_cast<int>(threadIdx.x) / 32 % 4 * kRowsOfTile),
        channel(first + static_cast<int>(threadIdx.x) % 32 / 4) {
    const float of_image = scales.images[place.image].unscale();
    unscale[0] = scales.channels[channel] * of_image;
    unscale[1] = scales.channels[channel + 8] * of_image;
  }
};

// Sums of what is there are unscaled; the others become zero. Returns whether all are finite.
template <typename Tile, typename Epilogue>
__device__ __forceinline__ bool unscale_group(const PatchFinish<Epilogue>& finish, const GroupOutputs& own,
                                              GroupSums<Tile>& sums) {
  const int rows = static_cast<int>(finish.shape.out_height) - own.place.y;
  const int columns = static_cast<int>(finish.shape.out_width) - own.place.x - static_cast<int>(threadIdx.x) % 4 * 2;
  float probe = 0;  // 0, or NaN
#pragma unroll
  for (int i = 0; i < Tile::parts * Tile::columns / 2; ++i) {
    float& sum = sums[i / (Tile::columns / 2)][i % (Tile::columns / 2)];
    const EightPlace<Tile> eight(i / (Tile::columns / 2), i % (Tile::columns / 2) / 4);
    sum = eight.y < rows && eight.x + i % 2 < columns ? sum * own.unscale[i % 4 / 2] : 0.0f;
    probe = fmaf(sum, 0.0f, probe);
  }
  return probe == 0;
}

// All outputs of a warp by plain fp32 arithmetic.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_again(const PatchFinish<Epilogue>& finish, const GroupOutputs& own) {
  const PatchPlace& tile = own.place;
  const ConvShape& shape = finish.shape;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % 32; i < kRowsOfTile * Tile::places; i += 32) {
    const int channel = own.first + i / Tile::places;
    const int place = i % Tile::places;
    const PixelPlace pixel{tile.image, tile.z, tile.y + place / Tile::width, tile.x + place % Tile::width};
    if (channel < finish.out_channels && pixel.y < shape.out_height && pixel.x < shape.out_width) {
      finish.epilogue(pixel.n, channel, (pixel.z * shape.out_height + pixel.y) * shape.out_width + pixel.x,
                      sum_patch_again<Window>(finish, pixel, 0, channel));
    }
  }
}

// This lane's two sums of each of two eights become four of one: of the first in even lanes.
__device__ __forceinline__ Lanes<float, kLanes> traded(const float* first, const float* second) {
  const bool is_odd = threadIdx.x % 2 != 0;
  float got[2];
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    got[e] = __shfl_xor_sync(kFullWarp, is_odd ? first[e] : second[e], 1);
  }
  return is_odd ? Lanes<float, kLanes>{got[0], got[1], second[0], second[1]}
                : Lanes<float, kLanes>{first[0], first[1], got[0], got[1]};
}

template <typename Tile, typename Epilogue>
__device__ __forceinline__ void finish_group_by_four(const PatchFinish<Epilogue>& finish, const GroupOutputs& own,
                                                     const GroupSums<Tile>& sums) {
  constexpr int kBeside = Tile::is_by_rows ? 0 : 1;  // whether products that lie beside each other are traded
  const ConvShape& shape = finish.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int rows = static_cast<int>(shape.out_height) - own.place.y;
  const int columns = static_cast<int>(shape.out_width) - own.place.x;
  const auto pitch = static_cast<int>(shape.out_width);
  const int64_t first = (own.place.z * shape.out_height + own.place.y) * shape.out_width + own.place.x;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int channel = own.channel + half * 8;
#pragma unroll
    for (int part = 0; part < Tile::parts; part += 1 + kBeside) {
#pragma unroll
      for (int eight = 0; eight < Tile::columns / 8; eight += 2 - kBeside) {
        const float* const one = sums[part] + eight * 4 + half * 2;
        const float* const other = sums[part + kBeside] + (eight + 1 - kBeside) * 4 + half * 2;
        const Lanes<float, kLanes> four = traded(one, other);
        const EightPlace<Tile> even(part, eight);
        const EightPlace<Tile> odd(part + kBeside, eight + 1 - kBeside);
        const int y = lane % 2 != 0 ? odd.y : even.y;
        const int x = (lane % 2 != 0 ? odd.x : even.x) + lane % 4 / 2 * kLanes;
        if (y < rows && x < columns && channel < finish.out_channels) {
          finish.epilogue.template lanes<kLanes>(own.place.image, channel, first + y * pitch + x, four);
        }
      }
    }
  }
}

// What a lane gives to the one of the neighbouring channel, and gets: eight lanes that had the first eight of two
// channels and the second then have sixteen of each.
__device__ __forceinline__ Lanes<float, 2> traded_by_channel(const float* first, const float* second) {
  const bool is_odd = threadIdx.x % 8 >= 4;
  Lanes<float, 2> got;
#pragma unroll
  for (int e = 0; e < 2; ++e) {
    got[e] = __shfl_xor_sync(kFullWarp, is_odd ? first[e] : second[e], 4);
  }
  return got;
}

// Rows begin at even places: a store of two by each lane writes pieces of 64 bytes.
template <typename Tile, typename Epilogue>
__device__ __forceinline__ void finish_group_by_two(const PatchFinish<Epilogue>& finish, const GroupOutputs& own,
                                                    const GroupSums<Tile>& sums) {
  constexpr int kBeside = Tile::is_by_rows ? 0 : 1;
  const ConvShape& shape = finish.shape;
  const bool is_odd = threadIdx.x % 8 >= 4;
  const int x = own.place.x + static_cast<int>(threadIdx.x) % 8 * 2;
  const int rows = static_cast<int>(shape.out_height) - own.place.y;
  const int columns = static_cast<int>(shape.out_width) - x;
  const int64_t first = (own.place.z * shape.out_height + own.place.y) * shape.out_width + x;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int lower = own.channel + half * 8 - (is_odd ? 1 : 0);
#pragma unroll
    for (int part = 0; part < Tile::parts; part += 1 + kBeside) {
#pragma unroll
      for (int eight = 0; eight < Tile::columns / 8; eight += 2 - kBeside) {
        const float* const one = sums[part] + eight * 4 + half * 2;
        const float* const other = sums[part + kBeside] + (eight + 1 - kBeside) * 4 + half * 2;
        const Lanes<float, 2> got = traded_by_channel(one, other);
        const EightPlace<Tile> place(part, eight);
        if (place.y >= rows || place.x >= columns) {
          continue;
        }
        const int64_t pixel = first + place.y * static_cast<int>(shape.out_width) + place.x;
        if (lower < finish.out_channels) {
          finish.epilogue.template lanes<2>(own.place.image, lower, pixel,
                                            {is_odd ? got[0] : one[0], is_odd ? got[1] : one[1]});
        }
        if (lower + 1 < finish.out_channels) {
          finish.epilogue.template lanes<2>(own.place.image, lower + 1, pixel,
                                            {is_odd ? other[0] : got[0], is_odd ? other[1] : got[1]});
        }
      }
    }
  }
}

template <typename Tile, typename Epilogue>
__device__ __forceinline__ void finish_group_singly(const PatchFinish<Epilogue>& finish, const GroupOutputs& own,
                                                    const GroupSums<Tile>& sums) {
  const ConvShape& shape = finish.shape;
  const int rows = static_cast<int>(shape.out_height) - own.place.y;
  const int columns = static_cast<int>(shape.out_width) - own.place.x;
  const auto pitch = static_cast<int>(shape.out_width);
  const int64_t first = (own.place.z * shape.out_height + own.place.y) * shape.out_width + own.place.x;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int channel = own.channel + half * 8;
#pragma unroll
    for (int i = 0; i < Tile::places / 8; ++i) {
      const float* const pair = sums[i / (Tile::columns / 8)] + i % (Tile::columns / 8) * 4 + half * 2;
      const EightPlace<Tile> eight(i / (Tile::columns / 8), i % (Tile::columns / 8));
      const int x = eight.x + static_cast<int>(threadIdx.x) % 4 * 2;
#pragma unroll
      for (int e = 0; e < 2; ++e) {
        if (eight.y < rows && x + e < columns && channel < finish.out_channels) {
          finish.epilogue(own.place.image, channel, first + eight.y * pitch + x + e, pair[e]);
        }
      }
    }
  }
}

template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group(const PatchFinish<Epilogue>& finish, const GroupOutputs& own,
                                             GroupSums<Tile>& sums) {
  if (!__all_sync(kFullWarp, unscale_group<Tile>(finish, own, sums))) {
    finish_group_again<Tile, Window>(finish, own);
    return;
  }
  if constexpr (requires { finish.epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{}); }) {
    if (finish.by_four) {
      finish_group_by_four<Tile>(finish, own, sums);
      return;
    }
    if constexpr (Tile::has_pairs) {
      if (finish.by_two) {
        finish_group_by_two<Tile>(finish, own, sums);
        return;
      }
    }
  }
  finish_group_singly<Tile>(finish, own, sums);
}

}  // namespace patch_detail

}  // namespace stitch
