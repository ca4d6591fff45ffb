// SPDX-License-Identifier: Apache-2.0
// From a warpgroup's sums to its outputs: straight from the registers where four neighbouring outputs are stored
// together, a lane having them or getting them from its neighbour; otherwise through shared memory, from which a warp
// stores lines of neighbouring outputs, wherever they begin; and again by plain arithmetic where a sum is not finite.
#pragma once

#include "kernels/conv/patch_finish.cuh"
#include "kernels/conv/patch_group_steps.cuh"

namespace stitch {

namespace patch_detail {

// Products that lie beside each other, or of a line its phases along x.
template <typename Tile, typename Window>
using GroupSums = float[GroupPatch<Tile, Window>::phases * Tile::across][Tile::columns / 2];

// A warp's sixteen channels of a tile. Made before the tile is multiplied, so that nobody waits for the scales.
template <typename Tile, typename Window>
struct GroupOutputs {
  using Axes = PatchAxes<Window>;
  PatchPlace place;  // of the tile
  int z;             // of the warp's outputs
  int phase_y;       // of a place's rows of outputs
  int pitch;         // of the rows of a layer
  int first;         // of the warp's channels
  int channel;       // this lane's first; the other is eight further
  float unscale[2];  // of the lane's channels; NaN where fp16 does not hold an operand

  __device__ __forceinline__ GroupOutputs(const PatchScales& scales, const PatchPlace& tile,
                                          const OwnSteps<Tile, Window>& own, int pitch)
      : place(tile), pitch(pitch) {
    const int row = static_cast<int>(threadIdx.x) / 32 % 4 * kRowsOfTile;  // of a product
    const int output = row / Tile::channels;
    z = tile.z * Axes::Z::phases * Tile::deep + own.phase_z + output / Tile::high;
    phase_y = own.phase_y + output % Tile::high;
    first = own.channel_block * Tile::channels + row % Tile::channels;
    channel = first + static_cast<int>(threadIdx.x) % 32 / 4;
    const float of_image = scales.images[place.image].unscale();
    unscale[0] = scales.channels[channel] * of_image;
    unscale[1] = scales.channels[channel + 8] * of_image;
  }

  __device__ __forceinline__ bool is_there(const ConvShape& shape) const { return z < shape.out_depth; }
  // The first of a row of the image.
  __device__ __forceinline__ int64_t pixel(const ConvShape& shape, int y) const {
    return (z * shape.out_height + y) * shape.out_width;
  }
};

// Where places of a tile lie, by their numbers: eight by eight, those of the products that lie beside each other.
template <typename Tile, typename Window>
struct PlaceOfTile {
  static constexpr int kRowsOfPlace = PatchAxes<Window>::Y::phases * Tile::high;
  int output_y;
  int x;  // of the place

  __device__ __forceinline__ PlaceOfTile(const GroupOutputs<Tile, Window>& own, int number) {
    int y = own.place.y;
    if constexpr (Tile::is_line) {
      const auto at = static_cast<unsigned>(own.place.x + number);
      y += static_cast<int>(at / static_cast<unsigned>(own.pitch));
      x = static_cast<int>(at % static_cast<unsigned>(own.pitch));
    } else {
      y += number / Tile::width;
      x = own.place.x + number % Tile::width;
    }
    output_y = y * kRowsOfPlace + own.phase_y;
  }

  // Onwards to the place eight further in a line.
  __device__ __forceinline__ void next_eight(const GroupOutputs<Tile, Window>& own) {
    x += 8;
    while (x >= own.pitch) {
      x -= own.pitch;
      output_y += kRowsOfPlace;
    }
  }
};

// This lane's pairs of places, one after the other: of each eight, those of products beside each other together.
template <typename Tile, typename Window>
class PairsOfTile {
 public:
  __device__ __forceinline__ explicit PairsOfTile(const GroupOutputs<Tile, Window>& own)
      : own_(own), place_(own, static_cast<int>(threadIdx.x) % 4 * 2) {}

  __device__ __forceinline__ int output_y() const { return place_.output_y; }
  __device__ __forceinline__ int x(int part) const { return place_.x + (Tile::is_line ? 0 : part * 8); }
  __device__ __forceinline__ void next() {
    if constexpr (Tile::is_line) {
      place_.next_eight(own_);
    } else {
      place_.output_y += PlaceOfTile<Tile, Window>::kRowsOfPlace;
    }
  }

 private:
  const GroupOutputs<Tile, Window>& own_;
  PlaceOfTile<Tile, Window> place_;
};

// Sums of what is there are unscaled; the others become zero. Returns whether all are finite.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ bool unscale_group(const PatchFinish<Epilogue>& finish,
                                              const GroupOutputs<Tile, Window>& own, GroupSums<Tile, Window>& sums) {
  using X = typename PatchAxes<Window>::X;
  const auto rows = static_cast<int>(own.is_there(finish.shape) ? finish.shape.out_height : 0);
  const auto columns = static_cast<int>(finish.shape.out_width);
  PairsOfTile<Tile, Window> pairs(own);
  float probe = 0;  // 0, or NaN
#pragma unroll
  for (int eight = 0; eight < Tile::columns / 8; ++eight) {
#pragma unroll
    for (int part = 0; part < X::phases * Tile::across; ++part) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float& sum = sums[part][eight * 4 + i];
        const int x = X::output(pairs.x(part) + i % 2, Tile::is_line ? part : 0);
        sum = pairs.output_y() < rows && x < columns ? sum * own.unscale[i / 2] : 0.0f;
        probe = fmaf(sum, 0.0f, probe);
      }
    }
    pairs.next();
  }
  return probe == 0;
}

// All outputs of a warp by plain fp32 arithmetic.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_again(const PatchFinish<Epilogue>& finish,
                                                   const GroupOutputs<Tile, Window>& own) {
  using X = typename PatchAxes<Window>::X;
  constexpr int kOutputs = Tile::places * X::phases;
  const ConvShape& shape = finish.shape;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % 32; i < kRowsOfTile * kOutputs; i += 32) {
    const int channel = own.first + i / kOutputs;
    const PlaceOfTile<Tile, Window> place(own, i % kOutputs / X::phases);
    const PixelPlace pixel{own.place.image, own.z, place.output_y, X::output(place.x, i % X::phases)};
    if (channel < finish.out_channels && pixel.z < shape.out_depth && pixel.y < shape.out_height &&
        pixel.x < shape.out_width) {
      finish.epilogue(pixel.n, channel, own.pixel(shape, place.output_y) + pixel.x,
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

// Of one phase: two eights that lie beside each other, or below each other in a line, are traded.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_by_four(const PatchFinish<Epilogue>& finish,
                                                     const GroupOutputs<Tile, Window>& own,
                                                     const GroupSums<Tile, Window>& sums) {
  constexpr int kBeside = Tile::across > 1 ? 1 : 0;  // whether products that lie beside each other are traded
  const ConvShape& shape = finish.shape;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int part = 0; part < Tile::across; part += 1 + kBeside) {
#pragma unroll
    for (int eight = 0; eight < Tile::columns / 8; eight += 2 - kBeside) {
      const int at_eight = eight + (kBeside == 0 ? lane % 2 : 0);
      const int at_part = part + (kBeside == 0 ? 0 : lane % 2);
      const PlaceOfTile<Tile, Window> place(
          own, (Tile::is_line ? at_eight * 8 : at_eight * Tile::width + at_part * 8) + lane % 4 / 2 * kLanes);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int channel = own.channel + half * 8;
        const Lanes<float, kLanes> four =
            traded(sums[part] + eight * 4 + half * 2, sums[part + kBeside] + (eight + 1 - kBeside) * 4 + half * 2);
        if (place.output_y < shape.out_height && place.x < shape.out_width && channel < finish.out_channels) {
          finish.epilogue.template lanes<kLanes>(own.place.image, channel, own.pixel(shape, place.output_y) + place.x,
                                                 four);
        }
      }
    }
  }
}

// Of two phases: a lane's two places are four neighbouring outputs.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_phases_by_four(const PatchFinish<Epilogue>& finish,
                                                      const GroupOutputs<Tile, Window>& own,
                                                      const GroupSums<Tile, Window>& sums) {
  const ConvShape& shape = finish.shape;
  PairsOfTile<Tile, Window> pairs(own);
#pragma unroll
  for (int eight = 0; eight < Tile::columns / 8; ++eight) {
    const int x = pairs.x(0) * 2;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int channel = own.channel + half * 8;
      const int at = eight * 4 + half * 2;
      if (pairs.output_y() < shape.out_height && x < shape.out_width && channel < finish.out_channels) {
        finish.epilogue.template lanes<kLanes>(own.place.image, channel, own.pixel(shape, pairs.output_y()) + x,
                                               {sums[0][at], sums[1][at], sums[0][at + 1], sums[1][at + 1]});
      }
    }
    pairs.next();
  }
}

// A lane's sums of some pieces of eight places, from the first on, where a line of outputs has them.
template <typename Tile, typename Window>
__device__ __forceinline__ void stage_pieces(const GroupSums<Tile, Window>& sums, int first, float* staged) {
  using Patch = GroupPatch<Tile, Window>;
  constexpr int kPhases = Patch::phases;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < Patch::pieces; ++i) {
    const int part = (first + i) % Tile::across;
    const int sum = (first + i) / Tile::across * 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at = sum + half * 2;
      float* const to = staged + (lane / 4 + half * 8) * Patch::pitch + (i * 8 + lane % 4 * 2) * kPhases;
      if constexpr (kPhases == 1) {
        *reinterpret_cast<float2*>(to) = make_float2(sums[part][at], sums[part][at + 1]);
      } else if constexpr (kPhases == 2) {
        *reinterpret_cast<float4*>(to) = make_float4(sums[0][at], sums[1][at], sums[0][at + 1], sums[1][at + 1]);
      } else {
#pragma unroll
        for (int k = 0; k < 2 * kPhases; ++k) {
          to[k] = sums[k % kPhases][at + k / kPhases];
        }
      }
    }
  }
}

// By a warp: a lane stores outputs of one pixel, channel after channel.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_by_lines(const PatchFinish<Epilogue>& finish,
                                                      const GroupOutputs<Tile, Window>& own,
                                                      const GroupSums<Tile, Window>& sums, float* staged) {
  using Patch = GroupPatch<Tile, Window>;
  using X = typename PatchAxes<Window>::X;
  const ConvShape& shape = finish.shape;
  const int channels = min(kRowsOfTile, finish.out_channels - own.first);
#pragma unroll
  for (int first = 0; first < Tile::places / 8; first += Patch::pieces) {
    __syncwarp();  // all have read what is written over
    stage_pieces<Tile, Window>(sums, first, staged);
    __syncwarp();
#pragma unroll
    for (int part = 0; part < Patch::staged; part += 32) {
      const int i = part + static_cast<int>(threadIdx.x) % 32;
      const PlaceOfTile<Tile, Window> place(own, first * 8 + i / X::phases);
      const int x = X::output(place.x, i % X::phases);
      if (i < Patch::staged && place.output_y < shape.out_height && x < shape.out_width) {
        const int64_t pixel = own.pixel(shape, place.output_y) + x;
#pragma unroll 4
        for (int channel = 0; channel < channels; ++channel) {
          finish.epilogue(own.place.image, own.first + channel, pixel, staged[channel * Patch::pitch + i]);
        }
      }
    }
  }
}

template <typename Tile, typename Window, typename Epilogue>
constexpr bool kStoresByFour = GroupPatch<Tile, Window>::phases <= 2 && requires(const Epilogue& epilogue) {
  epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{});
};

// Without a way through shared memory.
template <typename Tile, typename Window, typename Epilogue>
__host__ bool stores_directly(const PatchFinish<Epilogue>& finish) {
  return kStoresByFour<Tile, Window, Epilogue> && finish.by_four;
}

template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group(const PatchFinish<Epilogue>& finish, const GroupOutputs<Tile, Window>& own,
                                             GroupSums<Tile, Window>& sums, float* staged) {
  if (!__all_sync(kFullWarp, unscale_group<Tile, Window>(finish, own, sums))) {
    finish_group_again<Tile, Window>(finish, own);
    return;
  }
  if (!own.is_there(finish.shape)) {
    return;
  }
  if constexpr (kStoresByFour<Tile, Window, Epilogue>) {
    if (finish.by_four) {
      if constexpr (GroupPatch<Tile, Window>::phases == 1) {
        finish_group_by_four<Tile, Window>(finish, own, sums);
      } else {
        finish_phases_by_four<Tile, Window>(finish, own, sums);
      }
      return;
    }
  }
  finish_group_by_lines<Tile, Window>(finish, own, sums, staged);
}

}  // namespace patch_detail

}  // namespace stitch
