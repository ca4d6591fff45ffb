// SPDX-License-Identifier: Apache-2.0
// Convolution by cuDNN in the terms of the skeletons here: cuDNN leaves the sums in scratch, and a second kernel takes
// them through the epilogue. Its TF32 kernels are about twice as fast with channels last, so with TF32 the operands are
// turned first and the epilogue turns the sums back; its fp32 kernels are faster as tensors lie.
//
// Answers cudaErrorNotSupported, having enqueued nothing, where cuDNN is not installed or takes no such convolution.
#pragma once

#include "kernels/conv/shape.cuh"
#include "libraries/cudnn.h"

namespace stitch {

namespace conv_library_detail {

constexpr int kTile = 32;
constexpr int kTileRows = 8;  // threads along y: each takes kTile / kTileRows rows
constexpr int kThreads = 256;
constexpr uint64_t kAlignment = 256;

// Matrices of rows x columns are read row by row and handed to `sink` (matrix, row, column, value) column by column.
template <typename Sink>
__global__ void __launch_bounds__(kTile* kTileRows)
    turned_kernel(const float* source, Sink sink, int64_t rows, int64_t columns, Divider row_tiles,
                  Divider column_tiles) {
  __shared__ float tile[kTile][kTile + 1];
  const QuotientRemainder across = column_tiles.divide(blockIdx.x);
  const QuotientRemainder down = row_tiles.divide(across.quotient);
  const int64_t first_row = down.remainder * kTile;
  const int64_t first_column = across.remainder * kTile;
  const float* matrix = source + down.quotient * rows * columns;
#pragma unroll
  for (int step = threadIdx.y; step < kTile; step += kTileRows) {
    const int64_t row = first_row + step;
    const int64_t column = first_column + threadIdx.x;
    if (row < rows && column < columns) {
      tile[step][threadIdx.x] = matrix[row * columns + column];
    }
  }
  __syncthreads();
#pragma unroll
  for (int step = threadIdx.y; step < kTile; step += kTileRows) {
    const int64_t row = first_row + threadIdx.x;
    const int64_t column = first_column + step;
    if (row < rows && column < columns) {
      sink(down.quotient, row, column, tile[threadIdx.x][step]);
    }
  }
}

template <typename Sink>
cudaError_t launch_turned(const float* source, const Sink& sink, int64_t matrices, int64_t rows, int64_t columns,
                          cudaStream_t stream) {
  const int64_t row_tiles = ceil_divide(rows, kTile);
  const int64_t column_tiles = ceil_divide(columns, kTile);
  const auto blocks = static_cast<unsigned>(matrices * row_tiles * column_tiles);
  turned_kernel<<<blocks, dim3(kTile, kTileRows), 0, stream>>>(source, sink, rows, columns, Divider(row_tiles),
                                                               Divider(column_tiles));
  return cudaGetLastError();
}

// Stores the turned matrices.
struct StoreTurned {
  float* destination;
  int64_t rows;
  int64_t columns;
  __device__ __forceinline__ void operator()(int64_t matrix, int64_t row, int64_t column, float value) const {
    destination[(matrix * columns + column) * rows + row] = value;
  }
};

// Rows are pixels, columns are channels.
template <typename Epilogue>
struct FinishTurned {
  Epilogue epilogue;
  Divider out_width;
  __device__ __forceinline__ void operator()(int64_t image, int64_t pixel, int64_t channel, float value) const {
    const QuotientRemainder place = out_width.divide(pixel);
    epilogue(image, channel, place.quotient, place.remainder, value);
  }
};

template <typename Epilogue>
__global__ void __launch_bounds__(kThreads) finish_kernel(const float* sums, Epilogue epilogue, Divider channels,
                                                          Divider out_height, Divider out_width, int64_t outputs) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (linear >= outputs) {
    return;
  }
  const QuotientRemainder row = out_width.divide(linear);
  const QuotientRemainder plane = out_height.divide(row.quotient);
  const QuotientRemainder image = channels.divide(plane.quotient);
  epilogue(image.quotient, image.remainder, plane.remainder, row.remainder, sums[linear]);
}

// The step's scratch memory, piece by piece.
class Pieces {
 public:
  explicit Pieces(void* memory) : next_(static_cast<char*>(memory)) {}
  float* take(int64_t floats) {
    const uintptr_t start = (reinterpret_cast<uintptr_t>(next_) + kAlignment - 1) / kAlignment * kAlignment;
    next_ = reinterpret_cast<char*>(start) + floats * sizeof(float);
    return reinterpret_cast<float*>(start);
  }

 private:
  char* next_;
};

}  // namespace conv_library_detail

// Scratch: kCudnnWorkspaceBytes, 768 bytes to align three pieces, and as many floats as the outputs have; with TF32
// also as many as input and weight have.
template <bool kTf32, typename Window, typename Epilogue>
cudaError_t launch_conv_library(const StepArgs* args, const ConvShape& shape, const float* input, const float* weight,
                                const Epilogue& epilogue, cudaStream_t stream) {
  using namespace conv_library_detail;
  const int64_t pixels = shape.height * shape.width;
  const int64_t out_pixels = shape.out_height * shape.out_width;
  const int64_t weight_channels = shape.in_channels / shape.groups;
  auto* workspace = static_cast<char*>(args->scratch);
  Pieces pieces(workspace + kCudnnWorkspaceBytes);
  float* sums = pieces.take(shape.batch * shape.out_channels * out_pixels);
  LibraryConv wanted{kTf32,
                     kTf32,
                     shape.batch,
                     shape.in_channels,
                     shape.height,
                     shape.width,
                     shape.out_channels,
                     shape.out_height,
                     shape.out_width,
                     shape.groups,
                     {Window::kernel_y, Window::kernel_x},
                     {Window::stride_y, Window::stride_x},
                     {Window::padding_y, Window::padding_x},
                     {Window::dilation_y, Window::dilation_x},
                     input,
                     weight,
                     sums,
                     workspace};
  cudaError_t error = cudnn_plan(wanted, args->libraries);
  if (error != cudaSuccess) {
    return error;
  }
  if constexpr (kTf32) {
    float* turned_input = pieces.take(shape.batch * shape.in_channels * pixels);
    float* turned_weight = pieces.take(shape.out_channels * weight_channels * Window::taps);
    wanted.x = turned_input;
    wanted.weight = turned_weight;
    error = launch_turned(input, StoreTurned{turned_input, shape.in_channels, pixels}, shape.batch, shape.in_channels,
                          pixels, stream);
    if (error == cudaSuccess) {
      error = launch_turned(weight, StoreTurned{turned_weight, weight_channels, Window::taps}, shape.out_channels,
                            weight_channels, Window::taps, stream);
    }
  }
  if (error == cudaSuccess) {
    error = cudnn_convolution(wanted, args->libraries, stream);
  }
  if (error != cudaSuccess) {
    return error == cudaErrorNotSupported ? cudaErrorUnknown : error;
  }
  if constexpr (kTf32) {
    return launch_turned(sums, FinishTurned<Epilogue>{epilogue, Divider(shape.out_width)}, shape.batch, out_pixels,
                         shape.out_channels, stream);
  } else {
    const int64_t outputs = shape.batch * shape.out_channels * out_pixels;
    finish_kernel<<<static_cast<unsigned>(ceil_divide(outputs, kThreads)), kThreads, 0, stream>>>(
        sums, epilogue, Divider(shape.out_channels), Divider(shape.out_height), Divider(shape.out_width), outputs);
    return cudaGetLastError();
  }
}

}  // namespace stitch
