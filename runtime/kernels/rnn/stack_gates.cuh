// SPDX-License-Identifier: Apache-2.0
// The input's share of all gates of the first layer of a stack (kernels/rnn/stack.cuh), for all time steps at once:
// [steps, batch, gates * units] with the input's bias, in plain fp32. What a block reads next is on the way while it
// multiplies.
#pragma once

#include "kernels/rnn/stack.cuh"

namespace stitch {
namespace rnn_detail {

struct StackGatesTile {
  static constexpr int kThreads = 256;
  static constexpr int kRows = 128;  // samples of time steps
  static constexpr int kColumns = 64;
  static constexpr int kDepth = 16;
  static constexpr int kOfThread[2] = {8, 4};
  static constexpr int kPadding = 4;  // lanes that write a column then fall on different banks
};

// Rows of features in shared memory, depth by depth.
template <int kRows>
struct StackGatesOperand {
  using Tile = StackGatesTile;
  static constexpr int kLoads = kRows * Tile::kDepth / kDepthOfLoad / Tile::kThreads;
  static constexpr int kLoadsOfRow = Tile::kDepth / kDepthOfLoad;

  Lanes<float, kDepthOfLoad> loaded[kLoads];

  // address: const float* operator()(int64_t row) const, nullptr beyond the last row.
  template <typename Address>
  __device__ __forceinline__ void load(const Address& address, int64_t depth, int64_t extent, bool vectorised) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * Tile::kThreads;
      const float* row = address(index / kLoadsOfRow);
      const int64_t at = depth + index % kLoadsOfRow * kDepthOfLoad;
      loaded[i] =
          row != nullptr && at < extent ? load_depth(row, at, extent, vectorised) : broadcast_lanes<kDepthOfLoad>(0.0f);
    }
  }

  __device__ __forceinline__ void keep(float (&shared)[Tile::kDepth][kRows + Tile::kPadding]) const {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
      const int index = static_cast<int>(threadIdx.x) + i * Tile::kThreads;
#pragma unroll
      for (int lane = 0; lane < kDepthOfLoad; ++lane) {
        shared[index % kLoadsOfRow * kDepthOfLoad + lane][index / kLoadsOfRow] = loaded[i][lane];
      }
    }
  }
};

struct StackGatesInput {
  const float* x;
  int64_t time_stride;
  int64_t batch_stride;
  int64_t batch;
  int64_t features;
  bool vectorised;
  const float* weight;
  const float* bias;
  int64_t rows;     // steps * batch
  int64_t columns;  // gates * units
};

template <typename Tile = StackGatesTile>
__global__ void __launch_bounds__(Tile::kThreads) stack_gates_kernel(StackGatesInput input, float* gates) {
  constexpr int kRows = Tile::kOfThread[0], kColumns = Tile::kOfThread[1];
  __shared__ float rows[Tile::kDepth][Tile::kRows + Tile::kPadding];
  __shared__ float columns[Tile::kDepth][Tile::kColumns + Tile::kPadding];
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * Tile::kRows;
  const int64_t first_column = static_cast<int64_t>(blockIdx.x) * Tile::kColumns;
  const auto row_address = [&](int64_t row) -> const float* {
    const int64_t at = first_row + row;
    return at < input.rows ? input.x + at / input.batch * input.time_stride + at % input.batch * input.batch_stride
                           : nullptr;
  };
  const auto column_address = [&](int64_t column) -> const float* {
    return first_column + column < input.columns ? input.weight + (first_column + column) * input.features : nullptr;
  };
  StackGatesOperand<Tile::kRows> next_rows;
  StackGatesOperand<Tile::kColumns> next_columns;
  next_rows.load(row_address, 0, input.features, input.vectorised);
  next_columns.load(column_address, 0, input.features, input.vectorised);
  const int thread_row = static_cast<int>(threadIdx.x) / (Tile::kColumns / kColumns) * kRows;
  const int thread_column = static_cast<int>(threadIdx.x) % (Tile::kColumns / kColumns) * kColumns;
  float sums[kRows][kColumns] = {};
  for (int64_t depth = 0; depth < input.features; depth += Tile::kDepth) {
    __syncthreads();
    next_rows.keep(rows);
    next_columns.keep(columns);
    __syncthreads();
    next_rows.load(row_address, depth + Tile::kDepth, input.features, input.vectorised);
    next_columns.load(column_address, depth + Tile::kDepth, input.features, input.vectorised);
#pragma unroll
    for (int k = 0; k < Tile::kDepth; ++k) {
      const auto right = load_lanes<kColumns>(&columns[k][thread_column]);
#pragma unroll
      for (int row = 0; row < kRows; ++row) {
        const float left = rows[k][thread_row + row];
#pragma unroll
        for (int column = 0; column < kColumns; ++column) {
          sums[row][column] += left * right[column];
        }
      }
    }
  }
  for (int column = 0; column < kColumns; ++column) {
    const int64_t to = first_column + thread_column + column;
    if (to >= input.columns) {
      return;
    }
    const float bias = input.bias == nullptr ? 0.0f : input.bias[to];
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
      if (first_row + thread_row + row < input.rows) {
        gates[(first_row + thread_row + row) * input.columns + to] = sums[row][column] + bias;
      }
    }
  }
}

}  // namespace rnn_detail

template <typename Cell, int kLayers>
cudaError_t launch_stack_gates(const StackShape& shape, const StackOperands<kLayers>& operands, float* gates,
                               cudaStream_t stream) {
  using namespace rnn_detail;
  using Tile = StackGatesTile;
  const StackLayer& layer = operands.layers[0];
  const bool vectorised = lanes_aligned(operands.x, operands.x_time_stride, operands.x_batch_stride, shape.features) &&
                          lanes_aligned(layer.input_weight);
  const StackGatesInput input{operands.x,
                              operands.x_time_stride,
                              operands.x_batch_stride,
                              shape.batch,
                              shape.features,
                              vectorised,
                              layer.input_weight,
                              layer.input_bias,
                              shape.steps * shape.batch,
                              Cell::kGates * shape.units};
  const dim3 grid(static_cast<unsigned>(ceil_divide(input.columns, Tile::kColumns)),
                  static_cast<unsigned>(ceil_divide(input.rows, Tile::kRows)));
  stack_gates_kernel<Tile><<<grid, Tile::kThreads, 0, stream>>>(input, gates);
  return cudaGetLastError();
}

}  // namespace stitch
