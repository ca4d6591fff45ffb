// SPDX-License-Identifier: Apache-2.0
// Convolution on the tensor cores from patches of the input, transposed ones without a zero multiplied: a block takes
// the patch under four rows of places, eight input channels at a time, into shared memory, the next one while it
// multiplies the last; a warp multiplies the taps of its output channels with the windows of 32 or 64 neighbouring
// places, which it reads from the patch where they lie, and sums up all phases of them side by side. What it reads of
// the patch serves all taps that read there. Weights are arranged by a launch before, and come through the L1 cache.
//
// Policy: Tf32, or Tf32x3 (whose partial sums are promoted every 32 of K).
#pragma once

#include "kernels/conv/patch_weights.cuh"
#include "kernels/gemm/mma_tile.cuh"
#include "ptx/cp_async.cuh"

namespace stitch {

// Output channels of a block, by sixteens; a warp's places beside each other, by eights; and rows of places: four warps
// lie below each other, or beside where there is one row.
template <int kTilesOfChannels, int kTilesOfPlaces, int kRows = 4>
struct PatchTile {
  static constexpr int threads = 128;
  static constexpr int warps = threads / 32;
  static constexpr int rows = kRows;
  static constexpr int across = warps / kRows;
  static constexpr int tiles_m = kTilesOfChannels;
  static constexpr int tiles_n = kTilesOfPlaces;
  static constexpr int channels = tiles_m * patch_detail::kRowsOfTile;
  static constexpr int columns = tiles_n * 8;  // a warp's
};

namespace patch_detail {

constexpr int kLanes = 4;

constexpr int round_up_to_lanes(int elements) { return (elements + kLanes - 1) / kLanes * kLanes; }

template <typename Tile, typename Window>
struct Patch {
  using Axes = PatchAxes<Window>;
  static constexpr int depth = Axes::Z::extent(1);
  static constexpr int height = Axes::Y::extent(Tile::rows);
  // Rows begin at an element whose number along x is a multiple of four, so that four are copied at a time.
  static constexpr int lead = (Axes::X::origin % kLanes + kLanes) % kLanes;
  static constexpr int width = round_up_to_lanes(lead + Axes::X::extent(Tile::across * Tile::columns));
  static constexpr int elements = depth * height * width;  // of one input channel
  // Four channels' eight neighbouring places lie in 32 different banks.
  static constexpr int plane = (elements + 23) / 32 * 32 + 8;
  static constexpr int floats = kSlice * plane;
  // A warp's outputs of sixteen channels and one phase of rows.
  static constexpr int outputs = Tile::columns * Axes::X::phases;
  static constexpr int pitch = outputs + (Axes::X::phases == 2 ? 16 : 8);
  static constexpr int staged = kRowsOfTile * pitch;
  static constexpr int tiles = Tile::tiles_m * Tile::tiles_n;
  static constexpr int blocks = tiles * Axes::phases > 16 ? 2 : 3;  // of a multiprocessor
};

// What of the weights is in shared memory: all of a block's, one slice and the next, or nothing, where they come
// through the L1 cache.
template <typename Policy, typename Tile, typename Window>
struct PatchMemory {
  using Source = Patch<Tile, Window>;
  static constexpr int lanes_of_tap = 32 * kParts<Policy>;
  static constexpr int words_of_tile = Window::taps * lanes_of_tap;  // of sixteen channels, each of four floats
  static constexpr int words_of_slice = Tile::tiles_m * words_of_tile;
  static constexpr int room = (Source::blocks > 2 ? 74 : 112) << 10;
  static constexpr int bytes = (2 * Source::floats + Tile::warps * Source::staged) * static_cast<int>(sizeof(float));
  static constexpr int bytes_of_slice = words_of_slice * static_cast<int>(sizeof(uint4));
  static constexpr bool has_weights = bytes + 2 * bytes_of_slice <= room;

  static __host__ __device__ bool has_all_weights(int64_t slices) { return bytes + slices * bytes_of_slice <= room; }
  static __host__ int shared_bytes(int64_t slices) {
    const int64_t held = has_all_weights(slices) ? slices : 2;
    return bytes + (has_weights ? static_cast<int>(held) * bytes_of_slice : 0);
  }
};

template <typename Tile, typename Window>
using PatchSums = MmaSums<Tile::tiles_m, Tile::tiles_n>[PatchAxes<Window>::phases];

// The first place of a patch.
struct PatchPlace {
  int64_t image;
  int z;
  int y;
  int x;
};

// What a thread copies of each patch: runs of four elements of a row, each of some channels of a slice.
template <typename Tile, typename Window>
class PatchCopy {
 public:
  // The runs that lie at the patch's places in a plane of the input.
  __device__ __forceinline__ void move_to(const Planes& planes, const PatchPlace& place) {
    const int first_z = Axes::Z::first_input(place.z);
    const int first_y = Axes::Y::first_input(place.y);
    const int first_x = Axes::X::first_input(place.x) - Source::lead;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      const int run = number(i) % kRuns;
      const int x = first_x + run % kRunsOfRow * kLanes;
      const int y = first_y + run / kRunsOfRow % Source::height;
      const int z = first_z + run / (kRunsOfRow * Source::height);
      const bool is_row = static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth) &&
                          static_cast<unsigned>(y) < static_cast<unsigned>(planes.height);
      inside_[i] = 0;
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        inside_[i] |= is_row && static_cast<unsigned>(x + lane) < static_cast<unsigned>(planes.width) ? 1 << lane : 0;
      }
      offset_[i] = (z * planes.height + y) * planes.width + x;
    }
  }

  // `input`: of the first channel of the slice, of which `channels` are there.
  __device__ __forceinline__ void copy(const Planes& planes, const float* input, int channels, float* patch) const {
    if (planes.width % kLanes == 0 && reinterpret_cast<uintptr_t>(input) % sizeof(float4) == 0) {
      copy_by<kLanes>(planes, input, channels, patch);
    } else {
      copy_by<1>(planes, input, channels, patch);
    }
  }

  // What this thread has copied.
  static __device__ __forceinline__ void round(float* patch) {
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      if (number(i) >= kRuns * kSplits) {
        break;
      }
      float* const at = patch + number(i) / kRuns * kChannels * Source::plane + number(i) % kRuns * kLanes;
#pragma unroll
      for (int channel = 0; channel < kChannels; ++channel) {
        auto& four = *reinterpret_cast<float4*>(at + channel * Source::plane);
        four = make_float4(rounded(four.x), rounded(four.y), rounded(four.z), rounded(four.w));
      }
    }
  }

 private:
  using Source = Patch<Tile, Window>;
  using Axes = PatchAxes<Window>;
  static constexpr int kRunsOfRow = Source::width / kLanes;
  static constexpr int kRuns = Source::elements / kLanes;
  // Few runs are shared by several threads, each with its channels.
  static constexpr int kSplits = kRuns * 8 <= Tile::threads   ? 8
                                 : kRuns * 4 <= Tile::threads ? 4
                                 : kRuns * 2 <= Tile::threads ? 2
                                                              : 1;
  static constexpr int kChannels = kSlice / kSplits;
  static constexpr int kOwn = (kRuns * kSplits + Tile::threads - 1) / Tile::threads;

  static __device__ __forceinline__ int number(int i) { return static_cast<int>(threadIdx.x) + i * Tile::threads; }
  static __device__ __forceinline__ float rounded(float value) {
    return __uint_as_float(mma_detail::rounded_tf32(value));
  }

  // kTogether: elements of an aligned run, all of which are inside or none.
  template <int kTogether>
  __device__ __forceinline__ void copy_by(const Planes& planes, const float* input, int channels, float* patch) const {
    constexpr int kUnrolled = kTogether > 1 ? kChannels : 1;
#pragma unroll
    for (int i = 0; i < kOwn; ++i) {
      if (number(i) >= kRuns * kSplits) {
        break;
      }
      const int first = number(i) / kRuns * kChannels;
      float* to = patch + first * Source::plane + number(i) % kRuns * kLanes;
      const float* from = input + first * planes.plane_stride + offset_[i];
#pragma unroll kUnrolled
      for (int channel = 0; channel < kChannels; ++channel) {
        const int inside = first + channel < channels ? inside_[i] : 0;
        if constexpr (kTogether == kLanes) {
          ptx::cp_async_16(to, inside != 0 ? from : input, inside != 0 ? 16 : 0);
        } else {
#pragma unroll
          for (int lane = 0; lane < kLanes; ++lane) {
            const bool is_there = (inside >> lane & 1) != 0;
            ptx::cp_async_4_or_zero(to + lane, is_there ? from + lane : input, is_there);
          }
        }
        to += Source::plane;
        from += planes.plane_stride;
      }
    }
  }

  int offset_[kOwn];  // from the start of a plane
  int inside_[kOwn];  // of its four elements, a bit each
};

// This lane's elements under its warp's places.
template <typename Tile, typename Window>
__device__ __forceinline__ void read_places(const float* places, float (&values)[Tile::tiles_n][2]) {
#pragma unroll
  for (int j = 0; j < Tile::tiles_n; ++j) {
    values[j][0] = places[j * 8 * PatchAxes<Window>::X::step];
    values[j][1] = places[j * 8 * PatchAxes<Window>::X::step + 4 * Patch<Tile, Window>::plane];
  }
}

// One tap of a slice, of both operands as they are multiplied. kWordsOfTile: how far it is to the next sixteen output
// channels.
template <typename Tile, int kWordsOfTile>
__device__ __forceinline__ void multiply_tap(const uint4* weights, const uint32_t (&places)[Tile::tiles_n][2],
                                             MmaSums<Tile::tiles_m, Tile::tiles_n>& sums) {
#pragma unroll
  for (int i = 0; i < Tile::tiles_m; ++i) {
    const uint4 words = weights[i * kWordsOfTile];
    const uint32_t operand[4] = {words.x, words.y, words.z, words.w};
#pragma unroll
    for (int j = 0; j < Tile::tiles_n; ++j) {
      ptx::mma_m16n8k8_tf32(sums[i][j], operand, places[j]);
    }
  }
}

// How a policy multiplies a slice: `places` is this lane's first element under its warp's places, `weights` this lane's
// words of the first tap.
template <typename Policy>
struct MultiplySlice;

// Shift by shift: all taps that read there, whichever phase they add to.
template <>
struct MultiplySlice<Tf32> {
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
        const int phase = (Z::phase(z) * Y::phases + Y::phase(y)) * X::phases + X::phase(x);
        multiply_tap<Tile, Window::taps * 32>(weights + ((z * Y::kernel + y) * X::kernel + x) * 32, operand,
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

// Phase by phase, so that partial sums of one are promoted while the others' rest.
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
    multiply_tap<Tile, Window::taps * 64>(weights + 32, upper, sums);
    multiply_tap<Tile, Window::taps * 64>(weights, lower, sums);
    multiply_tap<Tile, Window::taps * 64>(weights, upper, sums);
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
      if (X::phase(x) != phase) {
        continue;
      }
      if (taps == kTapsOfPromotion) {
        promote<Tile>(partial, sums);
        taps = 0;
      }
      add_tap<Tile, Window>(row + X::offset(X::shift(x)), weights + x * 64, partial);
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
        if (Z::phase(z) != phase / X::phases / Y::phases || Y::phase(y) != phase / X::phases % Y::phases) {
          continue;
        }
        add_row<Tile, Window>(
            places + (Z::offset(Z::shift(z)) * Source::height + Y::offset(Y::shift(y))) * Source::width,
            weights + line * X::kernel * 64, phase % X::phases, sums[phase]);
      }
    }
  }
};

// Where a warp's outputs lie: its first place, and its first channel of a group.
struct WarpPlace {
  PatchPlace place;
  int64_t group;
  int channel;
};

// What the epilogue takes, and what computes an output again.
template <typename Epilogue>
struct PatchFinish {
  ConvShape shape;
  const float* input;
  const float* weight;
  Epilogue epilogue;
  int in_channels;   // of a group
  int out_channels;  // of a group
  bool by_four;      // four neighbouring pixels are stored together
};

// One output of a channel of a group by plain fp32 arithmetic.
template <typename Window, typename Epilogue>
__device__ float sum_patch_again(const PatchFinish<Epilogue>& finish, const PixelPlace& place, int64_t group,
                                 int64_t channel) {
  using Z = typename PatchAxes<Window>::Z;
  using Y = typename PatchAxes<Window>::Y;
  using X = typename PatchAxes<Window>::X;
  const ConvShape& shape = finish.shape;
  const int64_t inputs = finish.in_channels;
  const int64_t plane = shape.depth * shape.height * shape.width;
  const float* const first = finish.input + (place.n * shape.in_channels + group * inputs) * plane;
  float sum = 0;
#pragma unroll 1
  for (int64_t k = 0; k < inputs * Window::taps; ++k) {
    const auto tap = static_cast<int>(k % Window::taps);
    const int z = Z::input(static_cast<int>(place.z), tap / (X::kernel * Y::kernel));
    const int y = Y::input(static_cast<int>(place.y), tap / X::kernel % Y::kernel);
    const int x = X::input(static_cast<int>(place.x), tap % X::kernel);
    if (z >= 0 && z < shape.depth && y >= 0 && y < shape.height && x >= 0 && x < shape.width) {
      sum = fmaf(first[k / Window::taps * plane + (z * shape.height + y) * shape.width + x],
                 finish.weight[weight_place<Window>(shape, group, channel, k / Window::taps) + tap], sum);
    }
  }
  return sum;
}

// All outputs of a warp by plain fp32 arithmetic: splitting or rounding an infinity made NaN, or may have.
template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_again(const PatchFinish<Epilogue>& finish, const WarpPlace& warp) {
  using Axes = PatchAxes<Window>;
  constexpr int kOutputs = Patch<Tile, Window>::outputs;
  const ConvShape& shape = finish.shape;
  const int channels = finish.out_channels;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int i = lane; i < Tile::channels * (Axes::phases / Axes::X::phases) * kOutputs; i += 32) {
    const int line = i / kOutputs % (Axes::phases / Axes::X::phases);
    const int channel = warp.channel + i / kOutputs / (Axes::phases / Axes::X::phases);
    const PixelPlace place{warp.place.image, Axes::Z::output(warp.place.z, line / Axes::Y::phases),
                           Axes::Y::output(warp.place.y, line % Axes::Y::phases),
                           Axes::X::output(warp.place.x, 0) + i % kOutputs};
    if (channel < channels && place.z < shape.out_depth && place.y < shape.out_height && place.x < shape.out_width) {
      finish.epilogue(place.n, warp.group * channels + channel,
                      (place.z * shape.out_height + place.y) * shape.out_width + place.x,
                      sum_patch_again<Window>(finish, place, warp.group, channel));
    }
  }
}

template <typename Tile, typename Window>
__device__ __forceinline__ bool are_all_finite(const PatchSums<Tile, Window>& sums) {
  float probe = 0;  // 0, or NaN
#pragma unroll
  for (int phase = 0; phase < PatchAxes<Window>::phases; ++phase) {
#pragma unroll
    for (int i = 0; i < Patch<Tile, Window>::tiles * 4; ++i) {
      probe = fmaf(sums[phase][i / 4 / Tile::tiles_n][i / 4 % Tile::tiles_n][i % 4], 0.0f, probe);
    }
  }
  return probe == 0;
}

// Sixteen channels' sums of one row of places, all phases along x, are laid beside each other as they are stored.
template <typename Tile, typename Window>
__device__ __forceinline__ void stage_sums(const float (&sums)[PatchAxes<Window>::X::phases][Tile::tiles_n][4],
                                           float* staged) {
  constexpr int kPhases = PatchAxes<Window>::X::phases;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    float* const row = staged + (lane / 4 + half * 8) * Patch<Tile, Window>::pitch + lane % 4 * 2 * kPhases;
#pragma unroll
    for (int j = 0; j < Tile::tiles_n; ++j) {
      float* const at = row + j * 8 * kPhases;
      if constexpr (kPhases == 1) {
        *reinterpret_cast<float2*>(at) = make_float2(sums[0][j][half * 2], sums[0][j][half * 2 + 1]);
      } else if constexpr (kPhases == 2) {
        *reinterpret_cast<float4*>(at) =
            make_float4(sums[0][j][half * 2], sums[1][j][half * 2], sums[0][j][half * 2 + 1], sums[1][j][half * 2 + 1]);
      } else {
#pragma unroll
        for (int i = 0; i < 2 * kPhases; ++i) {
          at[i] = sums[i % kPhases][j][half * 2 + i / kPhases];
        }
      }
    }
  }
}

// A line of outputs that is staged for sixteen channels, the first of them and of its pixels.
struct StagedLine {
  const float* staged;
  int64_t image;
  int64_t pixel;
  int64_t channel;
  int channels;  // that are there
  int pixels;    // likewise
};

// kIsWhole: all of the line is there, so that nothing keeps its outputs from being finished side by side.
template <typename Tile, typename Window, bool kIsWhole, typename Epilogue>
__device__ __forceinline__ void finish_line(const Epilogue& epilogue, const StagedLine& line) {
  using Source = Patch<Tile, Window>;
  constexpr int kUnrolled = Source::outputs > 64 ? 2 : 4;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll kUnrolled
  for (int i = 0; i < kRowsOfTile; ++i) {
#pragma unroll
    for (int part = 0; part < Source::outputs / 32; ++part) {
      const int j = part * 32 + lane;
      if (kIsWhole || (i < line.channels && j < line.pixels)) {
        epilogue(line.image, line.channel + i, line.pixel + j, line.staged[i * Source::pitch + j]);
      }
    }
  }
}

// The same, four neighbouring pixels together.
template <typename Tile, typename Window, bool kIsWhole, typename Epilogue>
__device__ __forceinline__ void finish_line_by_four(const Epilogue& epilogue, const StagedLine& line) {
  using Source = Patch<Tile, Window>;
  constexpr int kFoursOfRow = Source::outputs / kLanes;
#pragma unroll 4
  for (int i = static_cast<int>(threadIdx.x) % 32; i < kRowsOfTile * kFoursOfRow; i += 32) {
    const int row = i / kFoursOfRow;
    const int pixel = i % kFoursOfRow * kLanes;
    if (kIsWhole || (row < line.channels && pixel < line.pixels)) {
      const float4 four = *reinterpret_cast<const float4*>(line.staged + row * Source::pitch + pixel);
      epilogue.template lanes<kLanes>(line.image, line.channel + row, line.pixel + pixel,
                                      {four.x, four.y, four.z, four.w});
    }
  }
}

template <typename Tile, typename Window, bool kIsWhole, typename Epilogue>
__device__ __forceinline__ void finish_staged(const PatchFinish<Epilogue>& finish, const StagedLine& line) {
  if constexpr (requires { finish.epilogue.template lanes<kLanes>(0, 0, 0, Lanes<float, kLanes>{}); }) {
    if (finish.by_four) {
      finish_line_by_four<Tile, Window, kIsWhole>(finish.epilogue, line);
      return;
    }
  }
  finish_line<Tile, Window, kIsWhole>(finish.epilogue, line);
}

template <typename Tile, typename Window, typename Epilogue>
__device__ __forceinline__ void finish_warp(const PatchFinish<Epilogue>& finish, const WarpPlace& warp,
                                            const PatchSums<Tile, Window>& sums, float* staged) {
  using Axes = PatchAxes<Window>;
  constexpr int kAcross = Axes::X::phases;
  const ConvShape& shape = finish.shape;
  if (!__all_sync(kFullWarp, are_all_finite<Tile, Window>(sums))) {
    finish_again<Tile, Window>(finish, warp);
    return;
  }
  const int first_x = Axes::X::output(warp.place.x, 0);
  const auto pixels = static_cast<int>(shape.out_width) - first_x;
  const bool is_whole = pixels >= Patch<Tile, Window>::outputs && warp.channel + Tile::channels <= finish.out_channels;
#pragma unroll
  for (int i = 0; i < Tile::tiles_m; ++i) {
#pragma unroll
    for (int line = 0; line < Axes::phases / kAcross; ++line) {
      float of_line[kAcross][Tile::tiles_n][4];
#pragma unroll
      for (int k = 0; k < kAcross * Tile::tiles_n * 4; ++k) {
        of_line[k / 4 / Tile::tiles_n][k / 4 % Tile::tiles_n][k % 4] =
            sums[line * kAcross + k / 4 / Tile::tiles_n][i][k / 4 % Tile::tiles_n][k % 4];
      }
      __syncwarp();  // all have read what is written over
      stage_sums<Tile, Window>(of_line, staged);
      __syncwarp();
      const int z = Axes::Z::output(warp.place.z, line / Axes::Y::phases);
      const int y = Axes::Y::output(warp.place.y, line % Axes::Y::phases);
      if (z >= shape.out_depth || y >= shape.out_height) {
        continue;  // as all of the warp
      }
      const int first = warp.channel + i * kRowsOfTile;
      const StagedLine outputs{staged,
                               warp.place.image,
                               (z * shape.out_height + y) * shape.out_width + first_x,
                               warp.group * finish.out_channels + first,
                               finish.out_channels - first,
                               pixels};
      if (is_whole) {
        finish_staged<Tile, Window, true>(finish, outputs);
      } else {
        finish_staged<Tile, Window, false>(finish, outputs);
      }
    }
  }
}

// Patches of a block of channels, numbered, so many for each block; and the slices of each, one after the other.
template <int kRank>
struct PatchSteps {
  PixelIndex<kRank> patches;
  int64_t count;  // of patches
  int patches_of_block;
  int slices;
  int blocks_of_group;  // of output channels
};

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
__global__ void __launch_bounds__(Tile::threads, (Patch<Tile, Window>::blocks))
    patch_mma_kernel(PatchFinish<Epilogue> finish, const uint4* arranged, Planes planes,
                     PatchSteps<Window::rank> steps) {
  using Source = Patch<Tile, Window>;
  using Axes = PatchAxes<Window>;
  extern __shared__ __align__(16) float shared[];
  const ConvShape& shape = finish.shape;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  float* const staged = shared + 2 * Source::floats + warp * Source::staged;
  const int group = static_cast<int>(blockIdx.y) / steps.blocks_of_group;
  const int first_channel = static_cast<int>(blockIdx.y) % steps.blocks_of_group * Tile::channels;
  const int channels = finish.in_channels;
  const int row = warp / Tile::across;
  const int column = warp % Tile::across * Tile::columns;
  const int first_element = lane % 4 * Source::plane + row * Axes::Y::step * Source::width +
                            (column + lane / 4) * Axes::X::step + Source::lead;
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
  copy.move_to(planes, place);
  int next_buffer = 0;
  const auto load = [&](const PatchPlace& from, int slice) {
    const int64_t channel = from.image * shape.in_channels + group * channels + slice * kSlice;
    copy.copy(planes, finish.input + channel * planes.plane_stride, channels - slice * kSlice,
              shared + next_buffer * Source::floats);
    weights.load(slice, next_buffer);
    ptx::cp_async_commit();
    next_buffer ^= 1;
  };
  weights.load_all();
  load(place, 0);
  for (int number = 0; number < count; ++number) {
    PatchSums<Tile, Window> sums = {};
    PatchPlace next = place;
    for (int slice = 0; slice < steps.slices; ++slice) {
      const int buffer = next_buffer ^ 1;
      float* const patch = shared + buffer * Source::floats;
      ptx::cp_async_wait<0>();
      if constexpr (kParts<Policy> == 1) {
        copy.round(patch);
      }
      __syncthreads();  // all have what is multiplied now, and have read what is written over
      if (slice + 1 < steps.slices) {
        load(place, slice + 1);
      } else if (number + 1 < count) {
        next = place_of(number + 1);
        copy.move_to(planes, next);
        load(next, 0);
      }
      MultiplySlice<Policy>::template add<Tile, Window>(patch + first_element, weights.of(slice, buffer) + lane, sums);
    }
    place.y += row;
    place.x += column;
    finish_warp<Tile, Window>(finish, {place, group, first_channel}, sums, staged);
    place = next;
  }
}

}  // namespace patch_detail

// epilogue: void operator()(int64_t image, int64_t channel, int64_t pixel, float accumulator) const, pixels of a plane
// numbered along its rows; and lanes<4>(image, channel, pixel, accumulators) where `vectorised`, which is proved for
// every fourth pixel. `scratch`, aligned to 16 bytes, has 512 bytes for each tap, eight input channels and sixteen
// output channels of a group, channels rounded up to those of a block; twice as many for Tf32x3.
template <typename Policy, typename Tile, typename Window, typename Epilogue>
cudaError_t launch_conv_patch_mma(const ConvShape& shape, const float* input, const float* weight,
                                  const Epilogue& epilogue, bool vectorised, void* scratch, cudaStream_t stream) {
  using Axes = PatchAxes<Window>;
  using Memory = patch_detail::PatchMemory<Policy, Tile, Window>;
  constexpr int64_t kBlocksAtOnce = 132 * patch_detail::Patch<Tile, Window>::blocks;  // of an H200
  const int64_t deep = Axes::Z::places(shape.out_depth);
  const int64_t down = ceil_divide(Axes::Y::places(shape.out_height), Tile::rows);
  const int64_t across = ceil_divide(Axes::X::places(shape.out_width), Tile::across * Tile::columns);
  const int64_t count = shape.batch * deep * down * across;
  if (count == 0 || shape.out_channels == 0) {
    return cudaSuccess;
  }
  auto* arranged = static_cast<uint4*>(scratch);
  const patch_detail::WeightTiles tiles(shape, Tile::tiles_m);
  cudaError_t error = patch_detail::launch_arrange<Policy, Window>(shape, tiles, weight, arranged, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const int64_t blocks_of_channels = shape.groups * tiles.blocks_of_group;
  // So many patches for each block that the last wave of blocks is full too; more where a block takes all of its
  // weights into shared memory.
  const int64_t most = Memory::has_weights && Memory::has_all_weights(tiles.slices) ? 16 : 4;
  const int64_t waves = ceil_divide(count * blocks_of_channels, kBlocksAtOnce * most);
  const int64_t patches = ceil_divide(count * blocks_of_channels, kBlocksAtOnce * waves);
  const patch_detail::PatchSteps<Window::rank> steps{PixelIndex<Window::rank>(deep, down, across), count,
                                                     static_cast<int>(patches), static_cast<int>(tiles.slices),
                                                     static_cast<int>(tiles.blocks_of_group)};
  auto kernel = patch_detail::patch_mma_kernel<Policy, Tile, Window, Epilogue>;
  const int shared_bytes = Memory::shared_bytes(tiles.slices);
  error = allow_shared_memory(kernel, shared_bytes);
  if (error != cudaSuccess) {
    return error;
  }
  const dim3 blocks(static_cast<unsigned>(ceil_divide(count, patches)), static_cast<unsigned>(blocks_of_channels));
  const patch_detail::PatchFinish<Epilogue> finish{shape,
                                                   input,
                                                   weight,
                                                   epilogue,
                                                   static_cast<int>(shape.in_channels / shape.groups),
                                                   static_cast<int>(shape.out_channels / shape.groups),
                                                   vectorised && shape.out_width % patch_detail::kLanes == 0};
  kernel<<<blocks, Tile::threads, shared_bytes, stream>>>(finish, arranged, input_planes(shape), steps);
  return cudaGetLastError();
}

}  // namespace stitch
