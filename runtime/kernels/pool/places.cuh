// SPDX-License-Identifier: Apache-2.0
// What the pooling and resampling kernels share: extents, which output a thread computes, the part of a window inside
// the input, and the largest element so far.
#pragma once

#include "kernels/common.cuh"

namespace stitch {

// One axis alone has height 1.
struct PoolShape {
  int64_t planes;
  int64_t height;
  int64_t width;
  int64_t out_height;
  int64_t out_width;
  int64_t depth = 1;
  int64_t out_depth = 1;
};

namespace pool_detail {

constexpr int kThreads = 256;

// The part of a window that lies inside the input, and what an average divides by.
struct Span {
  int64_t begin;
  int64_t end;
  int64_t padded_length;
};

__device__ __forceinline__ Span window_span(int64_t out, int64_t extent, int kernel, int stride, int padding) {
  const int64_t start = out * stride - padding;
  const int64_t padded_stop = start + kernel < extent + padding ? start + kernel : extent + padding;
  const int64_t stop = padded_stop < extent ? padded_stop : extent;
  return {start > 0 ? start : 0, stop, padded_stop - start};
}

__device__ __forceinline__ Span adaptive_span(int64_t out, int64_t extent, int64_t out_extent) {
  return {out * extent / out_extent, ceil_divide((out + 1) * extent, out_extent), 0};
}

struct Spans {
  Span z;
  Span y;
  Span x;

  __device__ __forceinline__ int64_t elements() const {
    return (z.end - z.begin) * (y.end - y.begin) * (x.end - x.begin);
  }
  __device__ __forceinline__ int64_t padded_elements() const {
    return z.padded_length * y.padded_length * x.padded_length;
  }
};

struct OutputPlace {
  int64_t plane;
  int64_t z;
  int64_t y;
  int64_t x;
  bool valid;
};

struct OutputDividers {
  Divider width;
  Divider height;
  Divider depth;
  int64_t outputs;
};

inline OutputDividers output_dividers(const PoolShape& shape) {
  return {Divider(shape.out_width), Divider(shape.out_height), Divider(shape.out_depth),
          shape.planes * shape.out_depth * shape.out_height * shape.out_width};
}

inline unsigned pool_blocks(const OutputDividers& dividers) {
  return static_cast<unsigned>(ceil_divide(dividers.outputs, kThreads));
}

template <int kRank>
__device__ __forceinline__ OutputPlace output_place(const OutputDividers& dividers) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const bool valid = linear < dividers.outputs;
  const QuotientRemainder row = dividers.width.divide(linear);
  const QuotientRemainder layer = dividers.height.divide(row.quotient);
  if constexpr (kRank == 3) {
    const QuotientRemainder plane = dividers.depth.divide(layer.quotient);
    return {plane.quotient, plane.remainder, layer.remainder, row.remainder, valid};
  } else {
    return {layer.quotient, 0, layer.remainder, row.remainder, valid};
  }
}

template <int kRank, typename Load>
__device__ __forceinline__ float load_at(const Load& load, int64_t plane, int64_t z, int64_t y, int64_t x) {
  if constexpr (kRank == 3) {
    return load(plane, z, y, x);
  } else if constexpr (kRank == 1) {
    return load(plane, x);
  } else {
    return load(plane, y, x);
  }
}

// values: the pooled one, and perhaps its index.
template <int kRank, typename Store, typename... Values>
__device__ __forceinline__ void store_at(const Store& store, const OutputPlace& out, Values... values) {
  if constexpr (kRank == 3) {
    store(out.plane, out.z, out.y, out.x, values...);
  } else if constexpr (kRank == 1) {
    store(out.plane, out.x, values...);
  } else {
    store(out.plane, out.y, out.x, values...);
  }
}

template <int kRank, typename Load>
__device__ __forceinline__ float span_sum(const Load& load, int64_t plane, const Spans& spans) {
  float sum = 0.0f;
  for (int64_t z = spans.z.begin; z < spans.z.end; ++z) {
    for (int64_t y = spans.y.begin; y < spans.y.end; ++y) {
      for (int64_t x = spans.x.begin; x < spans.x.end; ++x) {
        sum += load_at<kRank>(load, plane, z, y, x);
      }
    }
  }
  return sum;
}

// The largest of the elements added, NaN above all. With indices: of equals the first, of NaN the last, as PyTorch has
// it.
template <bool kIndices>
struct Largest {
  float value = -INFINITY;
  int64_t index = -1;

  __device__ __forceinline__ void add(float element, const PoolShape& shape, int64_t z, int64_t y, int64_t x) {
    if constexpr (kIndices) {
      if (index < 0 || element > value || element != element) {
        value = element;
        index = (z * shape.height + y) * shape.width + x;
      }
    } else {
      value = maximum(element, value);
    }
  }

  template <int kRank, typename Store>
  __device__ __forceinline__ void store(const Store& store, const OutputPlace& out) const {
    if constexpr (kIndices) {
      store_at<kRank>(store, out, value, index);
    } else {
      store_at<kRank>(store, out, value);
    }
  }
};

}  // namespace pool_detail

}  // namespace stitch
