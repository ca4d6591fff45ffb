// SPDX-License-Identifier: Apache-2.0
// Convolution by cuDNN in the terms of the skeletons here: cuDNN leaves the sums in memory, and a second kernel takes
// them through the epilogue. With channels first it reads the operands as they lie, and the sums may lie in the step's
// own result. With channels last the operands are turned first and the epilogue turns the sums back: its TF32 kernels
// for two axes are about twice as fast so.
//
// Answers cudaErrorNotSupported where cuDNN is not installed or takes no such convolution: whatever was enqueued by
// then, the step's own kernel overwrites.
#pragma once

#include "kernels/conv/shape.cuh"
#include "libraries/cudnn.h"

namespace stitch {

enum class LibraryLayout { kChannelsFirst, kChannelsLast };
// Whether the sums are the step's result already, or go through its epilogue.
enum class LibraryEnd { kSums, kEpilogue };

struct ConvLibraryCall {
  const StepArgs* args;
  bool may_use_tf32;      // else fp32 multiplications only
  int64_t advice;         // 1: the algorithm that cuDNN's heuristics advise, 2: the next best ...
  float* sums = nullptr;  // the step's result, where it may hold the sums before the epilogue; null: scratch does
};

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

// An output pixel from its place among those of its image. z is 0 where there is no such axis.
struct OutPixels {
  Divider height;
  Divider width;
  __device__ __forceinline__ PixelPlace place(int64_t image, int64_t pixel) const {
    const QuotientRemainder row = width.divide(pixel);
    const QuotientRemainder plane = height.divide(row.quotient);
    return {image, plane.quotient, plane.remainder, row.remainder};
  }
};

// Rows are pixels, columns are channels.
template <int kRank, typename Epilogue>
struct FinishTurned {
  Epilogue epilogue;
  OutPixels pixels;
  __device__ __forceinline__ void operator()(int64_t image, int64_t pixel, int64_t channel, float value) const {
    finish_pixel<kRank>(epilogue, pixels.place(image, pixel), channel, value);
  }
};

// The sums may lie where the epilogue stores: each thread reads its own before it stores anything.
template <int kRank, typename Epilogue>
__global__ void __launch_bounds__(kThreads) finish_kernel(const float* sums, Epilogue epilogue, Divider channels,
                                                          Divider out_pixels, OutPixels pixels, int64_t outputs) {
  const int64_t linear = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (linear >= outputs) {
    return;
  }
  const QuotientRemainder plane = out_pixels.divide(linear);
  const QuotientRemainder image = channels.divide(plane.quotient);
  finish_pixel<kRank>(epilogue, pixels.place(image.quotient, plane.remainder), image.remainder, sums[linear]);
}

// The step's scratch memory, piece by piece.
class Pieces {
 public:
  explicit Pieces(const StepArgs* args)
      : next_(reinterpret_cast<uintptr_t>(args->scratch)), end_(next_ + args->scratch_bytes) {}
  float* take(int64_t floats) {
    const uintptr_t start = next_;
    next_ = (start + floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
    return reinterpret_cast<float*>(start);
  }
  void* rest() const { return reinterpret_cast<void*>(next_); }
  uint64_t rest_bytes() const { return end_ > next_ ? end_ - next_ : 0; }

 private:
  uintptr_t next_;
  uintptr_t end_;
};

struct Counts {
  int64_t in_pixels;
  int64_t out_pixels;
  int64_t inputs;
  int64_t outputs;
  int64_t weight_rows;      // out_channels, of a transposed convolution in_channels
  int64_t weight_channels;  // of the other side, of one group

  Counts(const ConvShape& shape, bool is_transposed)
      : in_pixels(shape.depth * shape.height * shape.width),
        out_pixels(shape.out_depth * shape.out_height * shape.out_width),
        inputs(shape.batch * shape.in_channels * in_pixels),
        outputs(shape.batch * shape.out_channels * out_pixels),
        weight_rows(is_transposed ? shape.in_channels : shape.out_channels),
        weight_channels((is_transposed ? shape.out_channels : shape.in_channels) / shape.groups) {}
};

template <typename Window>
LibraryConvAxes axes_of(const ConvShape& shape) {
  return {{shape.depth, shape.height, shape.width},
          {shape.out_depth, shape.out_height, shape.out_width},
          {Window::kernel_z, Window::kernel_y, Window::kernel_x},
          {Window::stride_z, Window::stride_y, Window::stride_x},
          {Window::padding_z, Window::padding_y, Window::padding_x},
          {Window::dilation_z, Window::dilation_y, Window::dilation_x}};
}

// The sums by cuDNN. `turn`, which makes its operands, is enqueued once it is known that cuDNN can.
template <typename Turn>
cudaError_t enqueue_sums(const LibraryConv& wanted, StepLibraries* libraries, const Turn& turn, cudaStream_t stream) {
  cudaError_t error = cudnn_plan(wanted, libraries);
  if (error == cudaSuccess) {
    error = turn();
  }
  return error == cudaSuccess ? cudnn_convolution(wanted, libraries, stream) : error;
}

}  // namespace conv_library_detail

// Scratch: as many floats as the outputs have where `call` names no place for the sums, with channels last also as many
// as input and weight have, each aligned to 256 bytes; cuDNN's workspace is what remains.
template <LibraryLayout kLayout, LibraryEnd kEnd, typename Window, typename Epilogue>
cudaError_t launch_conv_library(const ConvLibraryCall& call, const ConvShape& shape, const float* input,
                                const float* weight, const Epilogue& epilogue, cudaStream_t stream) {
  using namespace conv_library_detail;
  constexpr bool kTurns = kLayout == LibraryLayout::kChannelsLast;
  const Counts counts(shape, Window::transposed);
  Pieces pieces(call.args);
  float* sums = kTurns || call.sums == nullptr ? pieces.take(counts.outputs) : call.sums;
  float* turned_input = kTurns ? pieces.take(counts.inputs) : nullptr;
  float* turned_weight = kTurns ? pieces.take(counts.weight_rows * counts.weight_channels * Window::taps) : nullptr;
  const LibraryConv wanted{call.may_use_tf32,
                           kTurns,
                           Window::transposed,
                           Window::rank,
                           call.advice,
                           shape.batch,
                           shape.in_channels,
                           shape.out_channels,
                           shape.groups,
                           axes_of<Window>(shape),
                           kTurns ? turned_input : input,
                           kTurns ? turned_weight : weight,
                           sums,
                           pieces.rest(),
                           pieces.rest_bytes()};
  const auto turn = [&]() -> cudaError_t {
    if constexpr (kTurns) {
      const cudaError_t error = launch_turned(input, StoreTurned{turned_input, shape.in_channels, counts.in_pixels},
                                              shape.batch, shape.in_channels, counts.in_pixels, stream);
      return error != cudaSuccess
                 ? error
                 : launch_turned(weight, StoreTurned{turned_weight, counts.weight_channels, Window::taps},
                                 counts.weight_rows, counts.weight_channels, Window::taps, stream);
    } else {
      return cudaSuccess;
    }
  };
  const cudaError_t error = enqueue_sums(wanted, call.args->libraries, turn, stream);
  if (error != cudaSuccess) {
    return error;
  }
  const OutPixels pixels{Divider(shape.out_height), Divider(shape.out_width)};
  if constexpr (kTurns) {
    return launch_turned(sums, FinishTurned<Window::rank, Epilogue>{epilogue, pixels}, shape.batch, counts.out_pixels,
                         shape.out_channels, stream);
  } else if constexpr (kEnd == LibraryEnd::kEpilogue) {
    finish_kernel<Window::rank><<<static_cast<unsigned>(ceil_divide(counts.outputs, kThreads)), kThreads, 0, stream>>>(
        sums, epilogue, Divider(shape.out_channels), Divider(counts.out_pixels), pixels, counts.outputs);
    return cudaGetLastError();
  } else {
    return cudaSuccess;
  }
}

}  // namespace stitch
