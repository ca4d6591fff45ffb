// SPDX-License-Identifier: Apache-2.0
// Operands of direct_fp16.cuh in shared memory: patches of the input, whose elements are split once into two fp16 parts
// and lie channels last, and the taps of a block's output channels as mma.m16n8k16 wants them.
//
// Powers of two bring both into fp16's range: one for a patch, another for an output channel. A part of a patch then
// holds its elements to 2^-22 of themselves down to 2^-17 of the largest.
#pragma once

#include "kernels/conv/direct_mma.cuh"
#include "kernels/gemm/fp16_scale.cuh"

namespace stitch {

// A block has so many warps, a warp the sums of `kTiles` times sixteen output channels and of `kLinesOfWarp` lines of
// 32 neighbouring pixels; `kWarpsOfChannels` of them share pixels. All input channels are taken at a time: up to 4
// or 8. The lines of a patch lie beside, below and, of three axes, behind each other.
template <int kTiles, int kWarpsOfChannels, int kLinesOfWarp, int kWarps, int kInputChannels, int kDepth, int kRows,
          int kAcross>
struct DirectFp16Tile {
  static constexpr int tiles = kTiles;
  static constexpr int warps = kWarps;
  static constexpr int threads = 32 * kWarps;
  static constexpr int warps_of_channels = kWarpsOfChannels;
  static constexpr int warps_of_pixels = kWarps / kWarpsOfChannels;
  static constexpr int lines_of_warp = kLinesOfWarp;
  static constexpr int input_channels = kInputChannels;
  static constexpr int channels = 16 * kTiles * kWarpsOfChannels;
  static constexpr int images = 1;  // of a patch
  static constexpr int depth = kDepth;
  static constexpr int rows = kRows;
  static constexpr int across = kAcross;
  static constexpr int columns = 32 * kAcross;
  static constexpr int lines = kDepth * kRows * kAcross;
  static constexpr int sums_of_lane = 16 * kTiles * kLinesOfWarp;
  static constexpr int staged_floats = 8 * direct_mma_detail::kStagedPitch;  // of a warp
  static constexpr int elements = 0;                                         // whose places in a patch are kept
  static constexpr bool is_by_words = false;
};

namespace direct_fp16_detail {

using direct_mma_detail::Place;

constexpr int kColumns = 32;  // of pixels, a line's
constexpr int kSlice = 16;    // of K
constexpr int kLanes = 4;     // elements that are copied and split together
constexpr int kChannelsOfLane = 4;
constexpr int kRowBytes = 128;  // of all banks
constexpr int kSlicesOfGroup = 4;
constexpr int kStagedPitch = direct_mma_detail::kStagedPitch;

__host__ __device__ constexpr int round_up_to(int number, int multiple) {
  return (number + multiple - 1) / multiple * multiple;
}

// Planes of words lie half of the banks apart, or a quarter where there are more than two.
__host__ __device__ constexpr int word_pitch(int pixels, int banks, int words) {
  const int apart = words > 2 ? banks / 4 : banks / 2;
  return pixels + (apart + banks - pixels % banks) % banks;
}

// By words, K goes through pairs of input channels, of each through all taps; and where their number is odd, of the
// last channel through pairs of taps along rows. Neighbours then lie in one plane of words, whose rows meet no bank
// twice.
template <int kChannels, typename Window>
struct WordsOfWindow {
  static constexpr int rows = Window::kernel_z * Window::kernel_y;
  static constexpr int of_last_row = (Window::kernel_x + 1) / 2;
  static constexpr int of_pairs = kChannels / 2 * Window::taps;
  static constexpr int count = of_pairs + kChannels % 2 * rows * of_last_row;

  // One of them: a tap of two channels, or two taps of the last.
  struct Word {
    int channel;  // the first
    int row;
    int x;  // tap
    bool is_last;

    __device__ constexpr explicit Word(int number) : channel(0), row(0), x(0), is_last(number >= of_pairs) {
      const int in_last = number - of_pairs;
      const int tap = number % Window::taps;
      channel = is_last ? kChannels - 1 : number / Window::taps * 2;
      row = is_last ? in_last / of_last_row : tap / Window::kernel_x;
      x = is_last ? in_last % of_last_row * 2 : tap % Window::kernel_x;
    }
  };
};

template <typename Tile, typename Window>
struct Stage {
  static_assert(Window::rank == 3 || Tile::depth == 1);
  // Of the input under them. Rows begin at a multiple of four, so that four elements are copied at a time.
  static constexpr int in_depth =
      (Tile::depth - 1) * Window::stride_z + (Window::kernel_z - 1) * Window::dilation_z + 1;
  static constexpr int in_rows = depthwise_detail::kRowsUnder<Window, Tile::rows>;
  static constexpr int lead = (kLanes - Window::padding_x % kLanes) % kLanes;
  static constexpr int width = round_up_to(
      lead + (Tile::columns - 1) * Window::stride_x + (Window::kernel_x - 1) * Window::dilation_x + 1, kLanes);
  static constexpr int in_planes = Tile::images * in_depth;
  static constexpr int runs_of_row = width / kLanes;
  static constexpr int runs = in_planes * in_rows * runs_of_row;  // of one channel

  // Split, a pixel's channels lie together; or, by words, two channels of all pixels, and behind them the next two.
  // Neighbouring taps that lie in different rows are half of the banks apart, by words at least twelve.
  static constexpr int pixel_bytes = Tile::is_by_words ? 4 : Tile::input_channels * 2;
  static constexpr int cycle = kRowBytes / pixel_bytes;
  static constexpr int to_half = (cycle / 2 + cycle - width % cycle) % cycle;
  static constexpr int nearer = Tile::is_by_words ? kLanes : 0;
  static constexpr int pitch = width + (to_half >= nearer && to_half < cycle - nearer ? to_half - nearer : 0);
  static constexpr int plane =
      in_rows * pitch + (Window::kernel_y * Window::dilation_y * pitch + cycle - in_rows * pitch % cycle) % cycle;
  static constexpr int words = (Tile::input_channels + 1) / 2;
  static constexpr int word_bytes = word_pitch(in_planes * plane, cycle, words) * pixel_bytes;  // by words
  static constexpr int part_bytes = Tile::is_by_words ? words * word_bytes : in_planes * plane * pixel_bytes;

  using Words = WordsOfWindow<Tile::input_channels, Window>;
  static constexpr int offsets_of_slice = Tile::is_by_words ? kSlice / 2 : 4;
  static constexpr int slices = Tile::is_by_words ? (Words::count + kSlice / 2 - 1) / (kSlice / 2)
                                                  : (Window::taps * Tile::input_channels + kSlice - 1) / kSlice;
  static constexpr int words_of_slice = Tile::channels / 8 * 32;  // of 16 bytes: two parts of four channels each

  // In shared memory, one after the other: a patch in two parts, and the next one as it comes.
  static constexpr int parts_at = slices * words_of_slice * 16;
  static constexpr int staged_at = parts_at + 2 * part_bytes;
  static constexpr int offsets_at = staged_at + Tile::warps * Tile::staged_floats * 4;
  static constexpr int elements_at = offsets_at + slices * offsets_of_slice * 4;
  static constexpr int unscale_at = elements_at + Tile::elements * 4;
  static constexpr int marks_at = unscale_at + Tile::channels * 4;
  static constexpr int raw_at = round_up_to(marks_at + (Tile::warps + 2) * 4, 16);
  static __host__ __device__ constexpr int shared_bytes(int channels) {
    return raw_at + channels * runs * kLanes * static_cast<int>(sizeof(float));
  }
};

// What a convolution reads.
struct Source {
  ConvShape shape;
  Planes planes;
  const float* input;
  const float* weight;
  bool by_four;  // all rows of the input begin at 16 bytes
};

// Copies four neighbours of a row asynchronously; those beyond the row, or of no row, are zero.
__device__ __forceinline__ void copy_four(const Source& source, bool is_row, int x, const float* from, float* to) {
  const auto width = static_cast<unsigned>(source.planes.width);
  if (source.by_four) {
    const bool is_inside = is_row && static_cast<unsigned>(x) < width;
    ptx::cp_async_16(to, is_inside ? from : source.input, is_inside ? 16 : 0);
    return;
  }
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    const bool is_inside = is_row && static_cast<unsigned>(x + lane) < width;
    ptx::cp_async_4_or_zero(to + lane, is_inside ? from + lane : source.input, is_inside);
  }
}

template <typename Tile, typename Window>
__device__ __forceinline__ void load_patch(const Source& source, const Place& place, float* raw) {
  using Patch = Stage<Tile, Window>;
  const Planes& planes = source.planes;
  const int first_z = place.z * Window::stride_z - Window::padding_z;
  const int first_y = place.y * Window::stride_y - Window::padding_y;
  const int first_x = place.x * Window::stride_x - Window::padding_x - Patch::lead;
  const auto channels = static_cast<int>(source.shape.in_channels);
  const float* const first = source.input + place.image * channels * planes.plane_stride;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < channels * Patch::runs; i += Tile::threads) {
    const int run = i % Patch::runs;
    const int line = run / Patch::runs_of_row;
    const int x = first_x + run % Patch::runs_of_row * kLanes;
    const int y = first_y + line % Patch::in_rows;
    const int z = first_z + line / Patch::in_rows % Patch::in_depth;
    const int image = line / Patch::in_rows / Patch::in_depth;
    const bool is_row = (Tile::images == 1 || place.image + image < source.shape.batch) &&
                        (Window::rank == 2 || static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth)) &&
                        static_cast<unsigned>(y) < static_cast<unsigned>(planes.height);
    const float* const from =
        first + (image * channels + i / Patch::runs) * planes.plane_stride + planes.offset(z, y, x);
    copy_four(source, is_row, x, from, raw + i * kLanes);
  }
}

// Bits of the largest finite magnitude that this thread has copied.
template <typename Tile, typename Window>
__device__ __forceinline__ uint32_t largest_of_own(const float* raw, int channels) {
  uint32_t largest = 0;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < channels * Stage<Tile, Window>::runs; i += Tile::threads) {
    const float4 four = reinterpret_cast<const float4*>(raw)[i];
    largest = max(max(max(largest, finite_magnitude_bits(four.x)), finite_magnitude_bits(four.y)),
                  max(finite_magnitude_bits(four.z), finite_magnitude_bits(four.w)));
  }
  return largest;
}

// Two neighbouring channels of a pixel in both parts.
struct SplitPair {
  uint32_t upper;
  uint32_t lower;

  __device__ __forceinline__ SplitPair(float x, float y)
      : upper(ptx::pack_fp16x2(x, y)), lower(ptx::pack_fp16x2(x - ptx::low_fp16(upper), y - ptx::high_fp16(upper))) {}
};

// Scaled elements below this have lost bits, in both parts together ...
constexpr float kSmall = 0x1p-3f;
// ... and below this so many that a single one counts as a window of them: nothing else may be under a window.
constexpr float kTiny = 0x1p-10f;
constexpr int kOfTiny = 1 << 16;
constexpr int kHeld = -(1 << 24);

// What an element adds to the count of its neighbours: below zero, whatever they are, where it holds its bits, as it
// then is most of what windows over them sum up.
__device__ __forceinline__ int small_count(float scaled) {
  const uint32_t below = magnitude_bits(scaled) - 1u;  // of zero: the largest
  if (below == ~0u) {
    return 0;
  }
  return below >= __float_as_uint(kSmall) - 1u ? kHeld : (below >= __float_as_uint(kTiny) - 1u ? 1 : kOfTiny);
}

// Whether windows may be made of elements that have lost bits.
template <typename Window>
__device__ __forceinline__ bool suffers(int small, int channels) {
  return small * 4 > Window::taps * channels;
}

// Four neighbouring pixels: `raw` is the first channel's. Returns how many elements are small where none is not.
template <typename Tile, typename Window>
__device__ __forceinline__ int split_run(const float4* raw, int channels, float scale, unsigned char* parts) {
  using Patch = Stage<Tile, Window>;
  constexpr int kWords = Tile::input_channels / 2;
  uint32_t upper[kLanes * kWords];
  uint32_t lower[kLanes * kWords];
  int small = 0;
#pragma unroll
  for (int word = 0; word < kWords; ++word) {
    const float4 none = make_float4(0, 0, 0, 0);
    const float4 first = 2 * word < channels ? raw[2 * word * Patch::runs] : none;
    const float4 second = 2 * word + 1 < channels ? raw[(2 * word + 1) * Patch::runs] : none;
    const float values[2][kLanes] = {{first.x, first.y, first.z, first.w}, {second.x, second.y, second.z, second.w}};
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      const float x = values[0][lane] * scale;
      const float y = values[1][lane] * scale;
      const SplitPair pair(x, y);
      upper[lane * kWords + word] = pair.upper;
      lower[lane * kWords + word] = pair.lower;
      small += small_count(x) + small_count(y);
    }
  }
#pragma unroll
  for (int i = 0; i < kWords; ++i) {
    reinterpret_cast<uint4*>(parts)[i] = make_uint4(upper[i * 4], upper[i * 4 + 1], upper[i * 4 + 2], upper[i * 4 + 3]);
    reinterpret_cast<uint4*>(parts + Patch::part_bytes)[i] =
        make_uint4(lower[i * 4], lower[i * 4 + 1], lower[i * 4 + 2], lower[i * 4 + 3]);
  }
  return max(small, 0);
}

// A word of each of four neighbouring pixels, in both parts.
template <typename Patch>
__device__ __forceinline__ void store_words(const float (&first)[kLanes], const float (&second)[kLanes],
                                            unsigned char* to) {
  uint32_t upper[kLanes];
  uint32_t lower[kLanes];
#pragma unroll
  for (int lane = 0; lane < kLanes; ++lane) {
    const SplitPair pair(first[lane], second[lane]);
    upper[lane] = pair.upper;
    lower[lane] = pair.lower;
  }
  *reinterpret_cast<uint4*>(to) = make_uint4(upper[0], upper[1], upper[2], upper[3]);
  *reinterpret_cast<uint4*>(to + Patch::part_bytes) = make_uint4(lower[0], lower[1], lower[2], lower[3]);
}

__device__ __forceinline__ void load_scaled(const float* from, float scale, float (&four)[kLanes]) {
  const float4 own = *reinterpret_cast<const float4*>(from);
  four[0] = own.x * scale, four[1] = own.y * scale, four[2] = own.z * scale, four[3] = own.w * scale;
}

// The same by words. `left`: elements from the first pixel to the end of its row, behind which nothing is its.
template <typename Tile, typename Window>
__device__ __forceinline__ int split_words(const float* raw, int left, float scale, unsigned char* parts) {
  using Patch = Stage<Tile, Window>;
  constexpr int kOfChannel = Patch::runs * kLanes;
  constexpr int kToNext = Window::dilation_x;
  int small = 0;
#pragma unroll
  for (int word = 0; word < Patch::words; ++word) {
    const bool is_pair = 2 * word + 1 < Tile::input_channels;
    const float* const own = raw + 2 * word * kOfChannel;
    float first[kLanes];
    float second[kLanes];
    load_scaled(own, scale, first);
    if (is_pair) {
      load_scaled(own + kOfChannel, scale, second);
    } else {
#pragma unroll
      for (int lane = 0; lane < kLanes; ++lane) {
        second[lane] = lane + kToNext < kLanes ? first[(lane + kToNext) % kLanes]
                                               : (lane + kToNext < left ? own[lane + kToNext] * scale : 0.0f);
      }
    }
#pragma unroll
    for (int lane = 0; lane < kLanes; ++lane) {
      small += small_count(first[lane]) + (is_pair ? small_count(second[lane]) : 0);
    }
    store_words<Patch>(first, second, parts + word * Patch::word_bytes);
  }
  return max(small, 0);
}

template <typename Tile, typename Window>
__device__ __forceinline__ int split_patch(const float* raw, int channels, float scale, unsigned char* parts) {
  using Patch = Stage<Tile, Window>;
  int small = 0;
#pragma unroll 1
  for (int run = static_cast<int>(threadIdx.x); run < Patch::runs; run += Tile::threads) {
    const int line = run / Patch::runs_of_row;
    const int pixel =
        line / Patch::in_rows * Patch::plane + line % Patch::in_rows * Patch::pitch + run % Patch::runs_of_row * kLanes;
    unsigned char* const to = parts + pixel * Patch::pixel_bytes;
    if constexpr (Tile::is_by_words) {
      const int left = Patch::width - run % Patch::runs_of_row * kLanes;
      small += split_words<Tile, Window>(raw + run * kLanes, left, scale, to);
    } else {
      small += split_run<Tile, Window>(reinterpret_cast<const float4*>(raw) + run, channels, scale, to);
    }
  }
  return small;
}

// Where the channels of a tap that a lane multiplies lie, from those of the first tap. Taps that are not there, whose
// weights are zero, read the first's.
template <typename Tile, typename Window>
__device__ __forceinline__ void fill_offsets(int* offsets) {
  using Patch = Stage<Tile, Window>;
  constexpr int kLanesOfTap = Tile::input_channels / kChannelsOfLane;
  for (int i = static_cast<int>(threadIdx.x); i < Patch::slices * 4; i += Tile::threads) {
    const int tap = i / kLanesOfTap < Window::taps ? i / kLanesOfTap : 0;
    const int z = tap / (Window::kernel_y * Window::kernel_x) * Window::dilation_z;
    const int y = tap / Window::kernel_x % Window::kernel_y * Window::dilation_y;
    const int x = tap % Window::kernel_x * Window::dilation_x;
    offsets[i] = (z * Patch::plane + y * Patch::pitch + x) * Patch::pixel_bytes + i % kLanesOfTap * kChannelsOfLane * 2;
  }
}

// Where the words of K lie, from those of the first tap and channel. One that is not there, whose weights are zero, is
// the first.
template <typename Tile, typename Window>
__device__ __forceinline__ void fill_word_offsets(int* offsets) {
  using Patch = Stage<Tile, Window>;
  using Words = typename Patch::Words;
  for (int i = static_cast<int>(threadIdx.x); i < Patch::slices * Patch::offsets_of_slice; i += Tile::threads) {
    const typename Words::Word word(i < Words::count ? i : 0);
    const int z = word.row / Window::kernel_y * Window::dilation_z;
    const int y = word.row % Window::kernel_y * Window::dilation_y;
    offsets[i] = (z * Patch::plane + y * Patch::pitch + word.x * Window::dilation_x) * Patch::pixel_bytes +
                 word.channel / 2 * Patch::word_bytes;
  }
}

// A warp takes an output channel's weights. `unscale` becomes NaN where two parts do not hold them.
template <typename Tile, typename Window>
__device__ __forceinline__ void scale_channels(const Source& source, int first_channel, float* unscale) {
  constexpr int kMaySuffer = 64;  // one of so many that are not zero
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const auto count = static_cast<int>(source.shape.in_channels) * Window::taps;
  for (int i = static_cast<int>(threadIdx.x) / 32; i < Tile::channels; i += Tile::warps) {
    const bool is_there = first_channel + i < source.shape.out_channels;
    const float* const weight = source.weight + int64_t{first_channel + i} * count;
    uint32_t largest = 0;
    for (int k = lane; is_there && k < count; k += 32) {
      largest = max(largest, finite_magnitude_bits(weight[k]));
    }
    const Fp16Scale scale = fp16_scale(__reduce_max_sync(kFullWarp, largest));
    int nonzero = 0;
    int small = 0;
    for (int k = lane; is_there && k < count; k += 32) {
      nonzero += weight[k] != 0 ? 1 : 0;
      small += small_count(weight[k] * scale.scale) > 0 ? 1 : 0;
    }
    nonzero = __reduce_add_sync(kFullWarp, nonzero);
    small = __reduce_add_sync(kFullWarp, small);
    if (lane == 0) {
      unscale[i] = small * kMaySuffer > nonzero ? __uint_as_float(fp16_detail::kNan) : scale.unscale;
    }
  }
}

// Of one lane, slice and sixteen output channels: four input channels of a tap, of two output channels.
template <typename Tile, typename Window>
__device__ __forceinline__ void fill_weights(const Source& source, int first_channel, const float* unscale,
                                             uint4* weights) {
  using Patch = Stage<Tile, Window>;
  constexpr int kLanesOfTap = Tile::input_channels / kChannelsOfLane;
  constexpr int kTiles = Tile::channels / 16;
  const auto in_channels = static_cast<int>(source.shape.in_channels);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Patch::slices * kTiles * 32; i += Tile::threads) {
    const int lane = i % 32;
    const int tile = i / 32 % kTiles;
    const int lane_of_k = i / 32 / kTiles * 4 + lane % 4;
    const int tap = lane_of_k / kLanesOfTap;
    const int input_channel = lane_of_k % kLanesOfTap * kChannelsOfLane;
    float values[2][kChannelsOfLane] = {};
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int channel = tile * 16 + lane / 4 + half * 8;
      // The scale is a power of two, and so is what it is divided into. A channel without one has no products.
      const float scale = 1.0f / unscale[channel];
      const bool is_there = first_channel + channel < source.shape.out_channels && tap < Window::taps && scale == scale;
      const float* const from =
          source.weight + (int64_t{first_channel + channel} * in_channels + input_channel) * Window::taps + tap;
#pragma unroll
      for (int c = 0; c < kChannelsOfLane; ++c) {
        values[half][c] = is_there && input_channel + c < in_channels ? from[c * Window::taps] * scale : 0.0f;
      }
    }
    const SplitPair low[2] = {{values[0][0], values[0][1]}, {values[1][0], values[1][1]}};
    const SplitPair high[2] = {{values[0][2], values[0][3]}, {values[1][2], values[1][3]}};
    uint4* const to = weights + i / 32 * 64 + lane;
    to[0] = make_uint4(low[0].upper, low[1].upper, high[0].upper, high[1].upper);
    to[32] = make_uint4(low[0].lower, low[1].lower, high[0].lower, high[1].lower);
  }
}

// Of one lane, slice and eight output channels: two words of K, four apart, of one output channel.
template <typename Tile, typename Window>
__device__ __forceinline__ void fill_word_weights(const Source& source, int first_channel, const float* unscale,
                                                  uint4* weights) {
  using Patch = Stage<Tile, Window>;
  using Words = typename Patch::Words;
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Patch::slices * Tile::tiles * 32; i += Tile::threads) {
    const int lane = i % 32;
    const int channel = i / 32 % Tile::tiles * 8 + lane / 4;
    const int first = i / 32 / Tile::tiles * Patch::offsets_of_slice + lane % 4;
    // The scale is a power of two, and so is what it is divided into. A channel without one has no products.
    const float scale = 1.0f / unscale[channel];
    const bool is_channel = first_channel + channel < source.shape.out_channels && scale == scale;
    const float* const from = source.weight + int64_t{first_channel + channel} * Tile::input_channels * Window::taps;
    float values[2][2];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int number = first + half * 4;
      const bool is_there = is_channel && number < Words::count;
      const typename Words::Word word(is_there ? number : 0);
      const float* const at = from + word.channel * Window::taps + word.row * Window::kernel_x + word.x;
      const bool has_second = is_there && (!word.is_last || word.x + 1 < Window::kernel_x);
      values[half][0] = is_there ? at[0] * scale : 0.0f;
      values[half][1] = has_second ? at[word.is_last ? 1 : Window::taps] * scale : 0.0f;
    }
    const SplitPair low(values[0][0], values[0][1]);
    const SplitPair high(values[1][0], values[1][1]);
    weights[i] = make_uint4(low.upper, high.upper, low.lower, high.lower);
  }
}

}  // namespace direct_fp16_detail

}  // namespace stitch
