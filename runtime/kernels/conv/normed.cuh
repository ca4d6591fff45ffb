// SPDX-License-Identifier: Apache-2.0
// A convolution and the normalisation of some of its channels of each image, whose statistics it takes
// (kernels/conv/moments.cuh): what the convolution stores lies in scratch memory, and is read once.
//
// store: of rows, as of layer norms (kernels/common/row.cuh): the normalised element.
#pragma once

#include "kernels/conv/moments.cuh"
#include "kernels/norm/layer_norm_shared.cuh"

namespace stitch {

namespace normed_detail {

// Planes as they follow each other, and rows of some planes.
struct StorePlanes {
  float* values;
  int64_t channels;
  int64_t pixels;

  template <int kLanes>
  __device__ __forceinline__ void lanes(int64_t image, int64_t channel, int64_t pixel,
                                        const Lanes<float, kLanes>& elements) const {
    store_float_lanes(values + (image * channels + channel) * pixels + pixel, elements);
  }
  __device__ __forceinline__ void operator()(int64_t image, int64_t channel, int64_t pixel, float element) const {
    lanes<1>(image, channel, pixel, {element});
  }
};

struct LoadRows {
  const float* values;
  int64_t columns;

  template <int kLanes>
  __device__ __forceinline__ Lanes<float, kLanes> lanes(int64_t row, int64_t column) const {
    return load_lanes<kLanes>(values + row * columns + column);
  }
  __device__ __forceinline__ float operator()(int64_t row, int64_t column) const {
    return values[row * columns + column];
  }
};

struct KeepTotal {
  WelfordAccumulator* totals;

  __device__ __forceinline__ void operator()(int64_t row, const WelfordAccumulator& total) const {
    totals[row] = total;
  }
};

constexpr int kThreads = 256;
constexpr int64_t kPart = 8192;  // elements of a row that a block takes

template <typename Store>
__global__ void __launch_bounds__(kThreads)
    normalise_rows_kernel(LoadRows load, Store store, const WelfordAccumulator* totals, RowShape shape, float epsilon,
                          Divider parts) {
  // The last rows were stored last: the cache still has them.
  const QuotientRemainder place = parts.divide(gridDim.x - 1 - blockIdx.x);
  const int64_t begin = place.remainder * kPart;
  const int64_t end = begin + kPart < shape.columns ? begin + kPart : shape.columns;
  const layer_norm_detail::FinishLayerNorm finish{epsilon};
  write_range<kThreads>(load, store, place.quotient, begin, end, shape.vectorised, static_cast<int>(threadIdx.x),
                        finish(totals[place.quotient]));
}

}  // namespace normed_detail

// convolve(epilogue, vectorised, store, rows, scratch): launches a convolution that takes moments, say
// launch_conv_direct_rows_moments(), of what the epilogue stores. shape: rows of `channels` channels of an image;
// vectorised of the store. scratch: aligned to 16 bytes, 4 for each output, 12 for each row, 32, and what the
// convolution needs.
template <typename Convolve, typename Store>
cudaError_t launch_normed_convolution(const ConvShape& conv, const Convolve& convolve, const Store& store,
                                      const RowShape& shape, int64_t channels, float epsilon, void* scratch,
                                      cudaStream_t stream) {
  using namespace normed_detail;
  constexpr int64_t kAlignment = 16;
  if (shape.rows * shape.columns == 0) {
    return cudaSuccess;
  }
  const int64_t pixels = conv.out_depth * conv.out_height * conv.out_width;
  auto* const memory = static_cast<unsigned char*>(scratch);
  const int64_t totals_at = round_up(conv.batch * conv.out_channels * pixels * int64_t{sizeof(float)}, kAlignment);
  const int64_t rest_at = round_up(totals_at + shape.rows * int64_t{sizeof(WelfordAccumulator)}, kAlignment);
  auto* const values = reinterpret_cast<float*>(memory);
  auto* const totals = reinterpret_cast<WelfordAccumulator*>(memory + totals_at);
  const cudaError_t error = convolve(StorePlanes{values, conv.out_channels, pixels}, pixels % 4 == 0, KeepTotal{totals},
                                     ImageRows{channels}, memory + rest_at);
  if (error != cudaSuccess) {
    return error;
  }
  const int64_t parts = ceil_divide(shape.columns, kPart);
  normalise_rows_kernel<Store><<<static_cast<unsigned>(shape.rows * parts), kThreads, 0, stream>>>(
      LoadRows{values, shape.columns}, store, totals, shape, epsilon, Divider(parts));
  return cudaGetLastError();
}

}  // namespace stitch
