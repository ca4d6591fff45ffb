// SPDX-License-Identifier: Apache-2.0
// A convolution as places that read a patch of the input: what a tap of the window reads, and which output it adds to.
// Of a convolution each place is one output. Of a transposed one a place is `stride` neighbouring outputs along each
// axis, its phases, each of which has taps of its own: all of them read the same few inputs around the place, and no
// zero is multiplied. Taps that read the same input have one shift.
#pragma once

#include <type_traits>

#include "kernels/conv/pixels.cuh"

namespace stitch {

template <int kKernel, int kStride, int kPadding, int kDilation, bool kTransposed>
struct PatchAxis {
  static constexpr int kernel = kKernel;
  static constexpr int phases = 1;
  static constexpr int shifts = kKernel;
  static constexpr int taps_of_shift = 1;
  static constexpr int step = kStride;      // of the patch, from place to place
  static constexpr int origin = -kPadding;  // the first element under the first place

  static __host__ int64_t places(int64_t outputs) { return outputs; }
  // Elements of the patch under so many places.
  static __host__ __device__ constexpr int extent(int places) {
    return (places - 1) * kStride + (kKernel - 1) * kDilation + 1;
  }
  static __device__ __forceinline__ int first_input(int place) { return place * kStride - kPadding; }
  static __device__ __forceinline__ int output(int place, int) { return place; }

  // From the first element under a place.
  static __host__ __device__ constexpr int offset(int shift) { return shift * kDilation; }
  // kKernel where there is none.
  static __host__ __device__ constexpr int tap(int shift, int) { return shift; }
  static __host__ __device__ constexpr int phase(int) { return 0; }
  static __host__ __device__ constexpr int phase(int, int) { return 0; }  // of a tap by its shift and number
  static __host__ __device__ constexpr int shift(int tap) { return tap; }
  // Where the tap of a phase reads; and whether the phase has it.
  static __host__ __device__ constexpr int shift_of(int tap, int) { return shift(tap); }
  static __host__ __device__ constexpr bool has_tap(int, int) { return true; }

  // What an output reads by a tap; outside the input perhaps.
  static __device__ __forceinline__ int input(int output, int tap) {
    return output * kStride - kPadding + tap * kDilation;
  }
};

__host__ __device__ constexpr int floor_divide(int value, int divisor) {
  return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}

// Output place * stride + phase gets tap t of input place - m where t * dilation - padding = m * stride + phase: taps
// of one m have one shift.
template <int kKernel, int kStride, int kPadding, int kDilation>
struct PatchAxis<kKernel, kStride, kPadding, kDilation, true> {
  static constexpr int kernel = kKernel;
  static constexpr int phases = kStride;
  static constexpr int ahead = -floor_divide(-kPadding, kStride);  // the farthest input behind a place that it reads
  static constexpr int back = floor_divide((kKernel - 1) * kDilation - kPadding, kStride);  // and before it
  static constexpr int shifts = back + ahead + 1;
  static constexpr int taps_of_shift = (kStride + kDilation - 1) / kDilation;
  static constexpr int step = 1;
  static constexpr int origin = -back;

  static __host__ int64_t places(int64_t outputs) { return ceil_divide(outputs, kStride); }
  static __host__ __device__ constexpr int extent(int places) { return places + shifts - 1; }
  static __device__ __forceinline__ int first_input(int place) { return place - back; }
  static __device__ __forceinline__ int output(int place, int phase) { return place * kStride + phase; }

  static __host__ __device__ constexpr int offset(int shift) { return shifts - 1 - shift; }
  static __host__ __device__ constexpr int tap(int at_shift, int number) {
    const int first = -floor_divide(-((at_shift - ahead) * kStride + kPadding), kDilation);
    const int tap = (first > 0 ? first : 0) + number;
    return tap < kKernel && shift(tap) == at_shift ? tap : kKernel;
  }
  static __host__ __device__ constexpr int phase(int at_shift, int number) { return phase(tap(at_shift, number)); }
  static __host__ __device__ constexpr int phase(int tap) {
    return tap * kDilation - kPadding - (shift(tap) - ahead) * kStride;
  }
  static __host__ __device__ constexpr int shift(int tap) {
    return floor_divide(tap * kDilation - kPadding, kStride) + ahead;
  }
  static __host__ __device__ constexpr int shift_of(int tap, int) { return shift(tap); }
  static __host__ __device__ constexpr bool has_tap(int of_phase, int tap) { return phase(tap) == of_phase; }

  static __device__ __forceinline__ int input(int output, int tap) {
    const int from = output + kPadding - tap * kDilation;
    return from >= 0 && from % kStride == 0 ? from / kStride : -1;
  }
};

// Of an ordinary convolution, or a transposed one of stride 1, kStack neighbouring outputs are one place, each a phase
// that has all taps: what they read of the patch is read once, and a warp has them all.
template <int kKernel, int kStride, int kPadding, int kDilation, bool kTransposed, int kStack>
struct StackedAxis {
  static_assert(!kTransposed || kStride == 1, "the phases of strides are a place already");
  static constexpr int kernel = kKernel;
  static constexpr int phases = kStack;
  static constexpr int reach = (kKernel - 1) * kDilation;
  static constexpr int shifts = (kStack - 1) * kStride + reach + 1;
  static constexpr int taps_of_shift = kStack;
  static constexpr int step = kStack * kStride;
  static constexpr int origin = kTransposed ? kPadding - reach : -kPadding;

  static __host__ int64_t places(int64_t outputs) { return ceil_divide(outputs, kStack); }
  static __host__ __device__ constexpr int extent(int places) { return (places - 1) * step + shifts; }
  static __device__ __forceinline__ int first_input(int place) { return place * step + origin; }
  static __device__ __forceinline__ int output(int place, int phase) { return place * kStack + phase; }

  static __host__ __device__ constexpr int offset(int shift) { return shift; }
  static __host__ __device__ constexpr int tap(int shift, int number) {
    const int behind = shift - number * kStride;
    const bool is_there = behind >= 0 && behind <= reach && behind % kDilation == 0;
    return is_there ? turned(behind / kDilation) : kKernel;
  }
  static __host__ __device__ constexpr int phase(int, int number) { return number; }
  static __host__ __device__ constexpr int shift_of(int tap, int phase) {
    return phase * kStride + turned(tap) * kDilation;
  }
  static __host__ __device__ constexpr bool has_tap(int, int) { return true; }

  static __device__ __forceinline__ int input(int output, int tap) {
    return output * kStride + origin + turned(tap) * kDilation;
  }

 private:
  static __host__ __device__ constexpr int turned(int tap) { return kTransposed ? kKernel - 1 - tap : tap; }
};

// A window of whose outputs kDeep planes of kDown rows are one place.
template <typename Window, int kDeep, int kDown>
struct Stacked : Window {
  static constexpr int stack_z = kDeep, stack_y = kDown;
};

// Taps of an axis that have this phase.
template <typename Axis>
__host__ __device__ constexpr int taps_of_phase(int phase) {
  if (Axis::phases == 1) {
    return Axis::kernel;
  }
  int count = 0;
  for (int tap = 0; tap < Axis::kernel; ++tap) {
    count += Axis::phase(tap) == phase ? 1 : 0;
  }
  return count;
}

// The one of this number among them, from 0 on.
template <typename Axis>
__host__ __device__ constexpr int tap_of_phase(int phase, int number) {
  if (Axis::phases == 1) {
    return number;
  }
  int tap = 0;
  while (tap < Axis::kernel && (Axis::phase(tap) != phase || number-- > 0)) {
    ++tap;
  }
  return tap;
}

// A window of which kFold neighbouring taps of a row are one: they lie in one slice of K, each with its few channels.
// Taps behind the last weigh nothing. Not of transposed convolutions, whose neighbouring taps have different phases.
template <typename Window, int kFold>
struct Folded : Window {
  static_assert(!Window::transposed);
  static constexpr int kernel_x = (Window::kernel_x + kFold - 1) / kFold;
  static constexpr int dilation_x = Window::dilation_x * kFold;
  static constexpr int taps = Window::kernel_z * Window::kernel_y * kernel_x;
};

template <typename Window>
struct WindowFold {
  using Original = Window;
  static constexpr int fold = 1;
  static constexpr int step = 0;  // from tap to tap that are one, in what they read
};

template <typename Window, int kFold>
struct WindowFold<Folded<Window, kFold>> {
  using Original = Window;
  static constexpr int fold = kFold;
  static constexpr int step = Window::dilation_x;
};

template <typename Window>
constexpr bool kIsStacked = requires { Window::stack_z; };

template <typename Window, bool kStacks = kIsStacked<Window>>
struct PatchAxes {
  using Z = PatchAxis<Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z, Window::transposed>;
  using Y = PatchAxis<Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y, Window::transposed>;
  using X = PatchAxis<Window::kernel_x, Window::stride_x, Window::padding_x, Window::dilation_x, Window::transposed>;
  static constexpr int phases = Z::phases * Y::phases * X::phases;
};

template <typename Window>
struct PatchAxes<Window, true> {
  template <int kKernel, int kStride, int kPadding, int kDilation, int kStack>
  using Axis = std::conditional_t<kStack == 1, PatchAxis<kKernel, kStride, kPadding, kDilation, Window::transposed>,
                                  StackedAxis<kKernel, kStride, kPadding, kDilation, Window::transposed, kStack>>;
  using Z = Axis<Window::kernel_z, Window::stride_z, Window::padding_z, Window::dilation_z, Window::stack_z>;
  using Y = Axis<Window::kernel_y, Window::stride_y, Window::padding_y, Window::dilation_y, Window::stack_y>;
  using X = typename PatchAxes<Window, false>::X;
  static constexpr int phases = Z::phases * Y::phases * X::phases;
};

// Of one output channel and one input channel, both within a group.
template <typename Window>
__device__ __forceinline__ int64_t weight_place(const ConvShape& shape, int64_t group, int64_t channel,
                                                int64_t input_channel) {
  const int64_t outputs = shape.out_channels / shape.groups;
  const int64_t inputs = shape.in_channels / shape.groups;
  return (Window::transposed ? (group * inputs + input_channel) * outputs + channel
                             : (group * outputs + channel) * inputs + input_channel) *
         Window::taps;
}

}  // namespace stitch
