// SPDX-License-Identifier: Apache-2.0
// From a warpgroup's sums to its outputs: straight from the registers where four neighbouring outputs are stored
// together, a lane having them or getting them from its neighbour; where rows begin at an even place alone, lanes of
// neighbouring channels trade, so that eight have sixteen places of one; otherwise through shared memory, from which a
// warp stores lines of neighbouring outputs, wherever they begin; and again by plain arithmetic where a sum is not
// finite.
#pragma once

#include "kernels/conv/patch_finish.cuh"
#include "kernels/conv/patch_group_steps.cuh"

namespace stitch {

namespace patch_detail {

// Products that lie beside each other, or of a line its phases along x.
template <typename Tile, typename Window>
using GroupSums = float[GroupPatch<Tile, Window>::phases * Tile::parts][Tile::columns / 2];

// 1 / scale of a lane's two channels in an image; NaN where fp16 does not hold an operand. Read before the tile is
// multiplied, so that nobody waits for them.
struct GroupUnscale {
  float of_channel[2];

  template <typename Tile, typename Window>
  __device__ __forceinline__ GroupUnscale(const PatchScales& scales, int64_t image, const OwnSteps<Tile, Window>& own) {
    const float of_image = scales.images[image].unscale();
    const int channel = own.channel_block * Tile::channels +
                        static_cast<int>(threadIdx.x) / 32 % 4 * kRowsOfTile % Tile::channels +
                        static_cast<int>(threadIdx.x) % 32 / 4;
    of_channel[0] = scales.channels[channel] * of_image;
    of_channel[1] = scales.channels[channel + 8] * of_image;
  }
};

// A warp's sixteen channels of a tile.
template <typename Tile, typename Window>
struct GroupOutputs {
  using Axes = PatchAxes<Window>;
  PatchPlace place;  // of the tile
  int left;          // places of the layer from there on, of a line
  int z;             // of the warp's outputs
  int phase_y;       // of a place's rows of outputs
  int pitch;         // of the rows of a layer
  int first;         // of the warp's channels
  int channel;       // this lane's first; the other is eight further

  __device__ __forceinline__ GroupOutputs(const PatchPlace& tile, const OwnSteps<Tile, Window>& own,
                                          const GroupSteps<Tile, Window>& steps)
      : place(tile), left(steps.places_of_layer - tile.y * steps.pitch - tile.x), pitch(steps.pitch) {
    const int row = static_cast<int>(threadIdx.x) / 32 % 4 * kRowsOfTile;  // of a product
    const int output = row / Tile::channels;
    z = tile.z * Axes::Z::phases * Tile::deep + own.phase_z + output / Tile::high;
    phase_y = own.phase_y + output % Tile::high;
    first = own.channel_block * Tile::channels + row % Tile::channels;
    channel = first + static_cast<int>(threadIdx.x) % 32 / 4;
  }

  __device__ __forceinline__ bool is_there(const ConvShape& shape) const { return z < shape.out_depth; }
};

// Where a lane's places of the eight in column `eight` of product `part` begin, from the tile's first; not of a line.
template <typename Tile>
struct EightPlace {
  int y;
  int x;

  __device__ __forceinline__ EightPlace(int part, int eight)
      : y(Tile::is_by_rows ? part : eight), x((Tile::is_by_rows ? eight : part) * kEight) {}
};

// The outputs of a lane's place, eight after eight.
template <typename Tile, typename Window>
class OutputWalk {
 public:
  using Axes = PatchAxes<Window>;
  static constexpr int rows_of_place = Axes::Y::phases * Tile::high;

  // From this place of the tile, less than 32 behind its first.
  __device__ __forceinline__ OutputWalk(const ConvShape& shape, const GroupOutputs<Tile, Window>& own, int number)
      : rows_(static_cast<int>(shape.out_height)),
        columns_(static_cast<int>(shape.out_width)),
        pitch_(own.pitch),
        y_(own.place.y * rows_of_place + own.phase_y),
        x_(own.place.x),
        pixel_((own.z * shape.out_height + y_) * shape.out_width + int64_t{x_} * Axes::X::phases) {
    if constexpr (Tile::is_line) {
      advance(number);
    } else {
      x_ += number;
      pixel_ += number;
    }
  }

  // The first output of the place.
  __device__ __forceinline__ bool has_row(int part, int eight) const { return y_ + below(part, eight) < rows_; }
  __device__ __forceinline__ int x(int part, int eight) const { return x_ * Axes::X::phases + beside(part, eight); }
  __device__ __forceinline__ int columns() const { return columns_; }
  __device__ __forceinline__ bool has(int part, int eight) const {
    return has_row(part, eight) && x(part, eight) < columns_;
  }
  __device__ __forceinline__ int64_t pixel(int part, int eight) const {
    return pixel_ + below(part, eight) * columns_ + beside(part, eight);
  }

  // So many places further in a line, 32 at most: a row is as long at least.
  __device__ __forceinline__ void advance(int places) {
    if constexpr (Tile::is_line) {
      x_ += places;
      pixel_ += places * Axes::X::phases;
      if (x_ >= pitch_) {
        x_ -= pitch_;
        y_ += rows_of_place;
        pixel_ += rows_of_place * columns_ - pitch_ * Axes::X::phases;
      }
    }
  }

 private:
  // From the walk's place to that of an eight, in outputs; a line's walk goes there.
  static __device__ __forceinline__ int below(int part, int eight) {
    return Tile::is_line ? 0 : EightPlace<Tile>(part, eight).y * rows_of_place;
  }
  static __device__ __forceinline__ int beside(int part, int eight) {
    return Tile::is_line ? 0 : EightPlace<Tile>(part, eight).x;
  }

  int rows_;
  int columns_;
  int pitch_;
  int y_;
  int x_;
  int64_t pixel_;
};

// Sums of places behind the last one, of whatever was in shared memory, become zero.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void clear_missing(const PatchFinish<Epilogue>& finish,
                                              const GroupOutputs<Tile, Window>& own, GroupSums<Tile, Window>& sums) {
  const int pair = static_cast<int>(threadIdx.x) % 4 * 2;
  const OutputWalk<Tile, Window> walk(finish.shape, own, pair);
#pragma unroll
  for (int part = 0; part < GroupPatch<Tile, Window>::phases * Tile::parts; ++part) {
#pragma unroll
    for (int i = 0; i < Tile::columns / 2; ++i) {
      const bool is_there = Tile::is_line ? i / 4 * kEight + pair + i % 2 < own.left
                                          : walk.has_row(part, i / 4) && walk.x(part, i / 4) + i % 2 < walk.columns();
      sums[part][i] = is_there ? sums[part][i] : 0.0f;
    }
  }
}

// Returns whether all sums are finite.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ bool unscale_group(const PatchFinish<Epilogue>& finish,
                                              const GroupOutputs<Tile, Window>& own, const GroupUnscale& unscale,
                                              GroupSums<Tile, Window>& sums) {
  // Those between the rows of a line are sums of other places' elements, as finite as they are.
  if (!Tile::is_line || own.left < Tile::places) {
    clear_missing<Tile, Window>(finish, own, sums);
  }
  float probe = 0;  // 0, or NaN
#pragma unroll
  for (auto& part : sums) {
#pragma unroll
    for (int i = 0; i < Tile::columns / 2; ++i) {
      part[i] *= unscale.of_channel[i % 4 / 2];
      probe = fmaf(part[i], 0.0f, probe);
    }
  }
  return probe == 0;
}

// The output of a number below Tile::places times the phases along x; it may not be there.
template <typename Tile, typename Window>
__device__ __forceinline__ PixelPlace output_of_group(const GroupOutputs<Tile, Window>& own, int i) {
  using X = typename PatchAxes<Window>::X;
  const int number = i / X::phases;
  const int at = own.place.x + (Tile::is_line ? number : number % Tile::width);
  const int y = own.place.y + (Tile::is_line ? at / own.pitch : number / Tile::width);
  const int x = Tile::is_line ? at % own.pitch : at;
  return {own.place.image, own.z, y * OutputWalk<Tile, Window>::rows_of_place + own.phase_y,
          X::output(x, i % X::phases)};
}

__device__ __forceinline__ bool is_output(const ConvShape& shape, const PixelPlace& place) {
  return place.z < shape.out_depth && place.y < shape.out_height && place.x < shape.out_width;
}

// All outputs of a warp by plain fp32 arithmetic.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_again(const PatchFinish<Epilogue>& finish,
                                                   const GroupOutputs<Tile, Window>& own) {
  constexpr int kOutputs = Tile::places * PatchAxes<Window>::X::phases;
  const ConvShape& shape = finish.shape;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x) % 32; i < kRowsOfTile * kOutputs; i += 32) {
    const int channel = own.first + i / kOutputs;
    const PixelPlace pixel = output_of_group(own, i % kOutputs);
    if (channel < finish.out_channels && is_output(shape, pixel)) {
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

// Of one phase: two eights that lie beside each other are traded.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_by_four(const PatchFinish<Epilogue>& finish,
                                                     const GroupOutputs<Tile, Window>& own,
                                                     const GroupSums<Tile, Window>& sums) {
  constexpr int kBeside = Tile::is_by_rows ? 0 : 1;  // whether products that lie beside each other are traded
  const int lane = static_cast<int>(threadIdx.x) % 32;
  OutputWalk<Tile, Window> walk(finish.shape, own, lane % 2 * kEight + lane % 4 / 2 * kLanes);
#pragma unroll
  for (int part = 0; part < Tile::parts; part += 1 + kBeside) {
#pragma unroll
    for (int eight = 0; eight < Tile::columns / 8; eight += 2 - kBeside) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int channel = own.channel + half * 8;
        const Lanes<float, kLanes> four =
            traded(sums[part] + eight * 4 + half * 2, sums[part + kBeside] + (eight + 1 - kBeside) * 4 + half * 2);
        if (walk.has(part, eight) && channel < finish.out_channels) {
          finish.epilogue.template lanes<kLanes>(own.place.image, channel, walk.pixel(part, eight), four);
        }
      }
      walk.advance(2 * kEight);
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
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_by_two(const PatchFinish<Epilogue>& finish,
                                                    const GroupOutputs<Tile, Window>& own,
                                                    const GroupSums<Tile, Window>& sums) {
  constexpr int kBeside = Tile::is_by_rows ? 0 : 1;
  const bool is_odd = threadIdx.x % 8 >= 4;
  OutputWalk<Tile, Window> walk(finish.shape, own, static_cast<int>(threadIdx.x) % 8 * 2);
#pragma unroll
  for (int part = 0; part < Tile::parts; part += 1 + kBeside) {
#pragma unroll
    for (int eight = 0; eight < Tile::columns / 8; eight += 2 - kBeside) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int lower = own.channel + half * 8 - (is_odd ? 1 : 0);
        const float* const one = sums[part] + eight * 4 + half * 2;
        const float* const other = sums[part + kBeside] + (eight + 1 - kBeside) * 4 + half * 2;
        const Lanes<float, 2> got = traded_by_channel(one, other);
        const bool is_there = walk.has(part, eight);
        if (is_there && lower < finish.out_channels) {
          finish.epilogue.template lanes<2>(own.place.image, lower, walk.pixel(part, eight),
                                            {is_odd ? got[0] : one[0], is_odd ? got[1] : one[1]});
        }
        if (is_there && lower + 1 < finish.out_channels) {
          finish.epilogue.template lanes<2>(own.place.image, lower + 1, walk.pixel(part, eight),
                                            {is_odd ? other[0] : got[0], is_odd ? other[1] : got[1]});
        }
      }
      walk.advance(2 * kEight);
    }
  }
}

// Of two phases: a lane's two places are four neighbouring outputs.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_phases_by_four(const PatchFinish<Epilogue>& finish,
                                                      const GroupOutputs<Tile, Window>& own,
                                                      const GroupSums<Tile, Window>& sums) {
  OutputWalk<Tile, Window> walk(finish.shape, own, static_cast<int>(threadIdx.x) % 4 * 2);
#pragma unroll
  for (int eight = 0; eight < Tile::columns / 8; ++eight) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int channel = own.channel + half * 8;
      const int at = eight * 4 + half * 2;
      if (walk.has(0, eight) && channel < finish.out_channels) {
        finish.epilogue.template lanes<kLanes>(own.place.image, channel, walk.pixel(0, eight),
                                               {sums[0][at], sums[1][at], sums[0][at + 1], sums[1][at + 1]});
      }
    }
    walk.advance(kEight);
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
    constexpr int kEights = Tile::columns / 8;
    const int part = Tile::is_by_rows ? (first + i) / kEights : (first + i) % Tile::parts;
    const int sum = (Tile::is_by_rows ? (first + i) % kEights : (first + i) / Tile::parts) * 4;
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

// By a warp: a lane stores a pixel that is staged, channel after channel.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_pixel_of_line(const PatchFinish<Epilogue>& finish,
                                                     const GroupOutputs<Tile, Window>& own, int64_t pixel,
                                                     const float* staged) {
  constexpr int kPitch = GroupPatch<Tile, Window>::pitch;
  const int channels = finish.out_channels - own.first;
  if (channels >= kRowsOfTile) {
#pragma unroll 4
    for (int i = 0; i < kRowsOfTile; ++i) {
      finish.epilogue(own.place.image, own.first + i, pixel, staged[i * kPitch]);
    }
    return;
  }
#pragma unroll 1
  for (int i = 0; i < channels; ++i) {
    finish.epilogue(own.place.image, own.first + i, pixel, staged[i * kPitch]);
  }
}

template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group_by_lines(const PatchFinish<Epilogue>& finish,
                                                      const GroupOutputs<Tile, Window>& own,
                                                      const GroupSums<Tile, Window>& sums, float* staged) {
  using Patch = GroupPatch<Tile, Window>;
  constexpr int kPhases = Patch::phases;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int first = 0; first < Tile::places / 8; first += Patch::pieces) {
    __syncwarp();  // all have read what is written over
    stage_pieces<Tile, Window>(sums, first, staged);
    __syncwarp();
#pragma unroll
    for (int i = lane; i < (Patch::staged + 31) / 32 * 32; i += 32) {
      const int number = first * 8 + i / kPhases;  // of the place
      const int at = own.place.x + (Tile::is_line ? number : number % Tile::width);
      const int below = Tile::is_line ? static_cast<int>(static_cast<unsigned>(at) / static_cast<unsigned>(own.pitch))
                                      : number / Tile::width;
      const int y = (own.place.y + below) * OutputWalk<Tile, Window>::rows_of_place + own.phase_y;
      const int x = (Tile::is_line ? at - below * own.pitch : at) * kPhases + i % kPhases;
      if (i < Patch::staged && y < finish.shape.out_height && x < finish.shape.out_width) {
        finish_pixel_of_line(finish, own, (own.z * finish.shape.out_height + y) * finish.shape.out_width + x,
                             staged + i);
      }
    }
  }
}

template <typename Tile, typename Window, typename Epilogue>
constexpr bool kStoresByFour = GroupPatch<Tile, Window>::phases <= 2 && requires(const Epilogue& epilogue) {
  epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{});
};

template <typename Tile, typename Window, typename Epilogue>
constexpr bool kStoresByTwo = GroupPatch<Tile, Window>::phases == 1 && kStoresByFour<Tile, Window, Epilogue>;

// How a kernel stores its outputs: each has one way, or registers would be short.
enum class GroupStore { kByFour, kByTwo, kByLines };

template <typename Tile, typename Window, typename Epilogue>
__host__ GroupStore group_store(const PatchFinish<Epilogue>& finish) {
  if (kStoresByFour<Tile, Window, Epilogue> && finish.by_four) {
    return GroupStore::kByFour;
  }
  return kStoresByTwo<Tile, Window, Epilogue> && finish.by_two ? GroupStore::kByTwo : GroupStore::kByLines;
}

// `staged`: of kByLines.
template <GroupStore kStore, typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void store_group(const PatchFinish<Epilogue>& finish, const GroupOutputs<Tile, Window>& own,
                                            const GroupSums<Tile, Window>& sums, float* staged) {
  if constexpr (kStore == GroupStore::kByLines) {
    finish_group_by_lines<Tile, Window>(finish, own, sums, staged);
  } else if constexpr (kStore == GroupStore::kByTwo) {
    finish_group_by_two<Tile, Window>(finish, own, sums);
  } else if constexpr (GroupPatch<Tile, Window>::phases == 1) {
    finish_group_by_four<Tile, Window>(finish, own, sums);
  } else {
    finish_phases_by_four<Tile, Window>(finish, own, sums);
  }
}

// `tile`: its number.
template <GroupStore kStore, typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_group(const PatchFinish<Epilogue>& finish, int /*tile*/,
                                             const GroupOutputs<Tile, Window>& own, const GroupUnscale& unscale,
                                             GroupSums<Tile, Window>& sums, float* staged) {
  if (!__all_sync(kFullWarp, unscale_group<Tile, Window>(finish, own, unscale, sums))) {
    finish_group_again<Tile, Window>(finish, own);
  } else if (own.is_there(finish.shape)) {
    store_group<kStore, Tile, Window>(finish, own, sums, staged);
  }
}

}  // namespace patch_detail

}  // namespace stitch
