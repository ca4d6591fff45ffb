// SPDX-License-Identifier: Apache-2.0
// What direct_rows.cuh keeps in shared memory: patches of whole rows of the input, split into two fp16 parts whose
// places of sixteen bytes lie beside each other, row after row; and the taps of 64 output channels, as wgmma reads
// both. An output's place is that of its first tap; a tap is the same places some further. Places behind the end of a
// row of outputs are multiplied too, and left out where outputs are stored.
//
// A place has eight channels of one element, or four of two that neighbouring taps along x read.
#pragma once

#include "kernels/conv/direct_fp16_operands.cuh"
#include "ptx/wgmma.cuh"

namespace stitch {

// So many warpgroups; input channels that there is room for, 4 or 8; outputs of a patch along z and y, in whole rows.
template <int kGroups, int kInputChannels, int kDepth, int kRows>
struct DirectRowsTile {
  static constexpr int groups = kGroups;
  static constexpr int warps = 4 * kGroups;
  static constexpr int threads = 32 * warps;
  static constexpr int channels = 64;
  static constexpr int input_channels = kInputChannels;
  static constexpr int depth = kDepth;
  static constexpr int rows = kRows;
  static constexpr bool is_pooled = false;
  static constexpr bool is_staged = true;  // outputs are laid in shared memory before they are stored
  static constexpr int blocks_of_multiprocessor = kGroups > 2 ? 1 : 2;
};

namespace direct_rows_detail {

using direct_fp16_detail::copy_four;
using direct_fp16_detail::kLanes;
using direct_fp16_detail::Source;
using direct_fp16_detail::SplitPair;
using direct_mma_detail::Place;

constexpr int kEight = 8;        // rows of a core, and elements of one
constexpr int kPlaceBytes = 16;  // of a part
constexpr int kRowsOfProduct = 64;
constexpr int kSlice = 16;          // of K
constexpr int kMostSlices = 16;     // whose large products are added up by the tensor cores, one to the other
constexpr int kPartOfSlice = 2048;  // bytes of 64 channels' weights
constexpr int kSliceBytes = 2 * kPartOfSlice;
constexpr int kHalfOfSlice = 1024;  // of those of one place
constexpr int kStagedPitch = 136;   // four lanes of each of eight channels meet no bank twice
constexpr int kShortest = 8;        // of a row of places

// Divides numbers below 2^16 by one from 2 to 2^16.
struct SmallDivider {
  uint32_t divisor;
  uint32_t reciprocal;

  __host__ explicit SmallDivider(int by)
      : divisor(static_cast<uint32_t>(by)), reciprocal(static_cast<uint32_t>((uint64_t{1} << 32) / divisor + 1)) {}
  __device__ __forceinline__ int quotient(int number) const {
    return static_cast<int>(__umulhi(static_cast<uint32_t>(number), reciprocal));
  }
};

// The places that one output reads.
template <typename Tile, typename Window>
struct Places {
  static constexpr bool is_pair = Tile::input_channels == 4;
  static constexpr int taps_of_place = is_pair ? 2 : 1;
  static constexpr int of_row = (Window::kernel_x + taps_of_place - 1) / taps_of_place;
  static constexpr int count = Window::kernel_z * Window::kernel_y * of_row;
  static constexpr int slices = (count + 1) / 2;
  // Partial sums are promoted between groups of slices, which takes as many registers again.
  static constexpr int groups = (slices + kMostSlices - 1) / kMostSlices;
  static constexpr int slices_of_group = (slices + groups - 1) / groups;
  static constexpr int columns = groups == 1 && !Tile::is_pooled ? 128 : 64;  // places of a product
  static constexpr int weight_bytes = slices * kSliceBytes;

  static constexpr int in_depth =
      (Tile::depth - 1) * Window::stride_z + (Window::kernel_z - 1) * Window::dilation_z + 1;
  static constexpr int in_rows = Tile::rows + (Window::kernel_y - 1) * Window::dilation_y;
  static constexpr int reach_x = (Window::kernel_x - 1) * Window::dilation_x;
  static constexpr int lead = (kLanes - Window::padding_x % kLanes) % kLanes;
  static_assert(Window::stride_x == 1 && Window::stride_y == 1 && Tile::input_channels <= 8);
};

// How a convolution's patches lie, all of them alike.
template <typename Tile, typename Window>
struct Layout {
  using Own = Places<Tile, Window>;

  int width;      // of outputs, a whole row's
  int pitch;      // places of a row
  int plane;      // of one z
  int of_row;     // products of a row of places, where each begins with a row; otherwise 0
  int of_plane;   // of one z
  int raw_pitch;  // elements that are copied of a row
  int part_bytes;
  SmallDivider by_pitch;
  SmallDivider by_runs;
  // Of a slice: its first place, from that of the first tap, and how far behind it the second lies; in places.
  uint32_t offset[Own::slices];
  uint32_t along_k[Own::slices];

  __host__ explicit Layout(int64_t out_width)
      : width(static_cast<int>(out_width)),
        pitch(pitch_of(width)),
        plane(Own::in_rows * pitch),
        of_row((width + Own::columns - 1) / Own::columns),
        of_plane(products()),
        raw_pitch((Own::lead + pitch + kLanes - 1) / kLanes * kLanes),
        part_bytes(0),
        by_pitch(pitch),
        by_runs(raw_pitch / kLanes) {
    int last = 0;
    for (int slice = 0; slice < Own::slices; ++slice) {
      const int first = offset_of(2 * slice);
      // A place that is not there, whose weights are zero, is the one before.
      const int second = 2 * slice + 1 < Own::count ? offset_of(2 * slice + 1) : first;
      offset[slice] = static_cast<uint32_t>(first);
      along_k[slice] = static_cast<uint32_t>(second - first);
      last = second > last ? second : last;
    }
    const int read = (Tile::depth - 1) * Window::stride_z * plane + first_place(of_plane - 1) + Own::columns + last;
    const int there = Own::in_depth * plane;
    part_bytes = (read > there ? read : there) * kPlaceBytes;
  }

  static __host__ int pitch_of(int width) {
    const int even = (width + Own::reach_x + 1) / 2 * 2;
    return even < kShortest ? kShortest : even;
  }

  // Products follow each other over the ends of rows, unless as few begin with one.
  __host__ int products() {
    const int of_all = ((Tile::rows - 1) * pitch + width + Own::columns - 1) / Own::columns;
    if (Tile::is_pooled || Tile::rows * of_row <= of_all) {
      return Tile::rows * of_row;
    }
    of_row = 0;
    return of_all;
  }
  // Of a product in its z.
  __host__ __device__ int first_place(int product) const {
    return of_row == 0 ? product * Own::columns : product / of_row * pitch + product % of_row * Own::columns;
  }

  __host__ int offset_of(int place) const {
    const int row = place / Own::of_row;
    const int x = place % Own::of_row * Own::taps_of_place * Window::dilation_x;
    return row / Window::kernel_y * Window::dilation_z * plane + row % Window::kernel_y * Window::dilation_y * pitch +
           x;
  }

  // In shared memory, one after the other.
  __host__ __device__ int parts_at() const { return Own::weight_bytes; }
  __host__ __device__ int staged_at() const { return parts_at() + 2 * part_bytes; }
  __host__ __device__ int unscale_at() const {
    return staged_at() + (Tile::is_staged ? Tile::warps * kEight * kStagedPitch * 4 : 0);
  }
  __host__ __device__ int marks_at() const { return unscale_at() + Tile::channels * 4; }
  __host__ __device__ int raw_at() const { return marks_at() + (Tile::warps + 4) * 4; }
  __host__ __device__ int raw_of_channel() const { return Own::in_depth * Own::in_rows * raw_pitch; }
  __host__ __device__ int shared_bytes(int channels) const { return raw_at() + channels * raw_of_channel() * 4; }
};

// The rows under a patch come into shared memory, channel after channel.
template <typename Tile, typename Window>
__device__ __forceinline__ void load_rows(const Source& source, const Layout<Tile, Window>& layout, const Place& place,
                                          float* raw) {
  using Own = Places<Tile, Window>;
  const Planes& planes = source.planes;
  const int first_z = place.z * Window::stride_z - Window::padding_z;
  const int first_y = place.y - Window::padding_y;
  const auto channels = static_cast<int>(source.shape.in_channels);
  const int runs = static_cast<int>(layout.by_runs.divisor);
  const float* const first = source.input + place.image * channels * planes.plane_stride;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < channels * Own::in_depth * Own::in_rows * runs; i += Tile::threads) {
    const int line = layout.by_runs.quotient(i);
    const int x = (i - line * runs) * kLanes - Window::padding_x - Own::lead;
    const int y = first_y + line % Own::in_rows;
    const int z = first_z + line / Own::in_rows % Own::in_depth;
    const int channel = line / (Own::in_rows * Own::in_depth);
    const bool is_row = (Window::rank == 2 || static_cast<unsigned>(z) < static_cast<unsigned>(planes.depth)) &&
                        static_cast<unsigned>(y) < static_cast<unsigned>(planes.height);
    const float* const from = first + channel * planes.plane_stride + planes.offset(z, y, x);
    copy_four(source, is_row, x, from, raw + i * kLanes);
  }
}

// Bits of the largest finite magnitude that this thread has copied.
template <typename Tile, typename Window>
__device__ __forceinline__ uint32_t largest_of_own(const Layout<Tile, Window>& layout, const float* raw, int channels) {
  uint32_t largest = 0;
  const int count = channels * layout.raw_of_channel() / kLanes;
#pragma unroll 2
  for (int i = static_cast<int>(threadIdx.x); i < count; i += Tile::threads) {
    const float4 four = reinterpret_cast<const float4*>(raw)[i];
    largest = max(max(max(largest, finite_magnitude_bits(four.x)), finite_magnitude_bits(four.y)),
                  max(finite_magnitude_bits(four.z), finite_magnitude_bits(four.w)));
  }
  return largest;
}

// One place: `raw` is its element of the first channel. Returns the largest magnitude's bits, scaled.
template <typename Tile, typename Window>
__device__ __forceinline__ uint32_t split_place(const Layout<Tile, Window>& layout, const float* raw, int channels,
                                                float scale, int number, unsigned char* parts) {
  constexpr int kWords = Tile::input_channels / 2;
  uint32_t upper[kWords];
  uint32_t lower[kWords];
  uint32_t largest = 0;
#pragma unroll
  for (int word = 0; word < kWords; ++word) {
    const float x = 2 * word < channels ? raw[2 * word * layout.raw_of_channel()] * scale : 0.0f;
    const float y = 2 * word + 1 < channels ? raw[(2 * word + 1) * layout.raw_of_channel()] * scale : 0.0f;
    const SplitPair pair(x, y);
    upper[word] = pair.upper;
    lower[word] = pair.lower;
    largest = max(largest, max(magnitude_bits(x), magnitude_bits(y)));
  }
  unsigned char* const at = parts + number * kPlaceBytes;
  if constexpr (Places<Tile, Window>::is_pair) {
    // Also the second element of the place that many before; behind the end of a row nothing counts.
    *reinterpret_cast<uint2*>(at) = make_uint2(upper[0], upper[1]);
    *reinterpret_cast<uint2*>(at + layout.part_bytes) = make_uint2(lower[0], lower[1]);
    if (number >= Window::dilation_x) {
      unsigned char* const before = at - Window::dilation_x * kPlaceBytes + kPlaceBytes / 2;
      *reinterpret_cast<uint2*>(before) = make_uint2(upper[0], upper[1]);
      *reinterpret_cast<uint2*>(before + layout.part_bytes) = make_uint2(lower[0], lower[1]);
    }
  } else {
    *reinterpret_cast<uint4*>(at) = make_uint4(upper[0], upper[1], upper[2], upper[3]);
    *reinterpret_cast<uint4*>(at + layout.part_bytes) = make_uint4(lower[0], lower[1], lower[2], lower[3]);
  }
  return largest;
}

// What the elements of a place add to small_count(), none of whose neighbours hold their bits.
template <typename Tile, typename Window>
__device__ __forceinline__ int small_of_place(const Layout<Tile, Window>& layout, const float* raw, int channels,
                                              float scale) {
  int small = 0;
#pragma unroll 1
  for (int channel = 0; channel < channels; ++channel) {
    small += direct_fp16_detail::small_count(raw[channel * layout.raw_of_channel()] * scale);
  }
  return small;
}

// Returns how many elements are small where none of their neighbours is not.
template <typename Tile, typename Window>
__device__ __forceinline__ int split_rows(const Layout<Tile, Window>& layout, const float* raw, int channels,
                                          float scale, unsigned char* parts) {
  using Own = Places<Tile, Window>;
  const int places = Own::in_depth * layout.plane;
  int small = 0;
#pragma unroll 2
  for (int first = 0; first < places; first += Tile::threads) {
    const int number = first + static_cast<int>(threadIdx.x);
    const bool is_there = number < places;
    const int line = layout.by_pitch.quotient(number);
    const float* const from = raw + line * layout.raw_pitch + number - line * layout.pitch + Own::lead;
    uint32_t largest =
        is_there ? split_place<Tile, Window>(layout, from, channels, scale, number, parts) : 0;  // of four neighbours
    largest = max(largest, __shfl_xor_sync(kFullWarp, largest, 1));
    largest = max(largest, __shfl_xor_sync(kFullWarp, largest, 2));
    if (is_there && largest != 0 && largest < __float_as_uint(direct_fp16_detail::kSmall)) {
      small += small_of_place<Tile, Window>(layout, from, channels, scale);
    }
  }
  return small;
}

// Places that no element is written to, behind a patch, are read too.
template <typename Tile, typename Window>
__device__ __forceinline__ void clear_parts(const Layout<Tile, Window>& layout, unsigned char* parts) {
  for (int i = static_cast<int>(threadIdx.x); i < 2 * layout.part_bytes / kPlaceBytes; i += Tile::threads) {
    reinterpret_cast<uint4*>(parts)[i] = make_uint4(0, 0, 0, 0);
  }
}

// Of one output channel and place: eight elements along K.
template <typename Tile, typename Window>
__device__ __forceinline__ void fill_weights(const Source& source, int first_channel, const float* unscale,
                                             unsigned char* weights) {
  using Own = Places<Tile, Window>;
  const auto in_channels = static_cast<int>(source.shape.in_channels);
#pragma unroll 1
  for (int i = static_cast<int>(threadIdx.x); i < Own::slices * 2 * kRowsOfProduct; i += Tile::threads) {
    const int channel = i % kRowsOfProduct;
    const int place = i / kRowsOfProduct;
    // The scale is a power of two, and so is what it is divided into. A channel without one has no products.
    const float scale = 1.0f / unscale[channel];
    const bool is_there = first_channel + channel < source.shape.out_channels && place < Own::count && scale == scale;
    const float* const from = source.weight + int64_t{first_channel + channel} * in_channels * Window::taps;
    float values[kEight];
#pragma unroll
    for (int k = 0; k < kEight; ++k) {
      const int input_channel = k % Tile::input_channels;
      const int x = place % Own::of_row * Own::taps_of_place + k / Tile::input_channels;
      const int tap = place / Own::of_row * Window::kernel_x + x;
      const bool is_tap = is_there && input_channel < in_channels && x < Window::kernel_x;
      values[k] = is_tap ? from[input_channel * Window::taps + tap] * scale : 0.0f;
    }
    const SplitPair pairs[4] = {
        {values[0], values[1]}, {values[2], values[3]}, {values[4], values[5]}, {values[6], values[7]}};
    unsigned char* const to = weights + place / 2 * kSliceBytes + place % 2 * kHalfOfSlice + channel * kPlaceBytes;
    *reinterpret_cast<uint4*>(to) = make_uint4(pairs[0].upper, pairs[1].upper, pairs[2].upper, pairs[3].upper);
    *reinterpret_cast<uint4*>(to + kPartOfSlice) =
        make_uint4(pairs[0].lower, pairs[1].lower, pairs[2].lower, pairs[3].lower);
  }
}

}  // namespace direct_rows_detail

}  // namespace stitch
