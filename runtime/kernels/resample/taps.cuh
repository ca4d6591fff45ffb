// SPDX-License-Identifier: Apache-2.0
// Which elements of one axis a resampled element is made of, and their weights, as ATen/native/UpSample.h has them.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

// One axis: its extents, and the factor between them that was asked for (0: their ratio counts).
struct ResampledAxis {
  int64_t in;
  int64_t out;
  double factor;
};

template <int kCount>
struct ResampleTaps {
  static constexpr int count = kCount;
  int64_t index[kCount];
  float weight[kCount];
};

namespace resample_detail {

inline float source_scale(const ResampledAxis& axis) {
  return axis.factor > 0 ? static_cast<float>(1.0 / axis.factor)
                         : static_cast<float>(axis.in) / static_cast<float>(axis.out);
}

inline float source_scale(const ResampledAxis& axis, bool align_corners) {
  if (!align_corners) {
    return source_scale(axis);
  }
  return axis.out > 1 ? static_cast<float>(axis.in - 1) / static_cast<float>(axis.out - 1) : 0.0f;
}

__device__ __forceinline__ int64_t at_most(int64_t index, int64_t last) { return index < last ? index : last; }

template <bool kAlignCorners>
__device__ __forceinline__ float source_position(int64_t out, float scale) {
  return kAlignCorners ? scale * static_cast<float>(out) : scale * (static_cast<float>(out) + 0.5f) - 0.5f;
}

// From the element at or below a position to the position, kept within one element.
__device__ __forceinline__ float part_beyond(float position, int64_t index) {
  return fminf(fmaxf(position - static_cast<float>(index), 0.0f), 1.0f);
}

}  // namespace resample_detail

// A mode is made on the host from one axis; taps(out) are those of one output.
class NearestMode {
 public:
  explicit NearestMode(const ResampledAxis& axis)
      : last_(axis.in - 1),
        kind_(axis.out == axis.in ? kSame : (axis.out == 2 * axis.in ? kTwice : kScaled)),
        scale_(resample_detail::source_scale(axis)) {}

  __device__ __forceinline__ ResampleTaps<1> taps(int64_t out) const {
    if (kind_ != kScaled) {
      return {{kind_ == kSame ? out : out / 2}, {1.0f}};
    }
    const float position = floorf(static_cast<float>(out) * scale_);
    return {{resample_detail::at_most(static_cast<int64_t>(position), last_)}, {1.0f}};
  }

 private:
  enum Kind { kSame, kTwice, kScaled };
  int64_t last_;
  Kind kind_;
  float scale_;
};

class NearestExactMode {
 public:
  explicit NearestExactMode(const ResampledAxis& axis)
      : last_(axis.in - 1), scale_(resample_detail::source_scale(axis)) {}

  __device__ __forceinline__ ResampleTaps<1> taps(int64_t out) const {
    const float position = floorf((static_cast<float>(out) + 0.5f) * scale_);
    return {{resample_detail::at_most(static_cast<int64_t>(position), last_)}, {1.0f}};
  }

 private:
  int64_t last_;
  float scale_;
};

template <bool kAlignCorners>
class LinearMode {
 public:
  explicit LinearMode(const ResampledAxis& axis)
      : last_(axis.in - 1), same_(axis.in == axis.out), scale_(resample_detail::source_scale(axis, kAlignCorners)) {}

  __device__ __forceinline__ ResampleTaps<2> taps(int64_t out) const {
    if (same_) {
      return {{out, out}, {1.0f, 0.0f}};
    }
    const float position = fmaxf(resample_detail::source_position<kAlignCorners>(out, scale_), 0.0f);
    const int64_t first = resample_detail::at_most(static_cast<int64_t>(floorf(position)), last_);
    const float part = resample_detail::part_beyond(position, first);
    return {{first, resample_detail::at_most(first + 1, last_)}, {1.0f - part, part}};
  }

 private:
  int64_t last_;
  bool same_;
  float scale_;
};

// Keys' cubic convolution with a = -0.75.
template <bool kAlignCorners>
class CubicMode {
 public:
  explicit CubicMode(const ResampledAxis& axis)
      : last_(axis.in - 1), scale_(resample_detail::source_scale(axis, kAlignCorners)) {}

  __device__ __forceinline__ ResampleTaps<4> taps(int64_t out) const {
    const float position = resample_detail::source_position<kAlignCorners>(out, scale_);
    const int64_t first = resample_detail::at_most(static_cast<int64_t>(floorf(position)), last_);
    const float part = resample_detail::part_beyond(position, first);
    ResampleTaps<4> taps{{}, {far(part + 1.0f), near(part), near(1.0f - part), far(2.0f - part)}};
#pragma unroll
    for (int tap = 0; tap < 4; ++tap) {
      const int64_t index = resample_detail::at_most(first + tap - 1, last_);
      taps.index[tap] = index > 0 ? index : 0;
    }
    return taps;
  }

 private:
  static constexpr float kA = -0.75f;

  static __device__ __forceinline__ float near(float x) { return ((kA + 2.0f) * x - (kA + 3.0f)) * x * x + 1.0f; }
  static __device__ __forceinline__ float far(float x) {
    return ((kA * x - 5.0f * kA) * x + 8.0f * kA) * x - 4.0f * kA;
  }

  int64_t last_;
  float scale_;
};

}  // namespace stitch
