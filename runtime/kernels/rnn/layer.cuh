// SPDX-License-Identifier: Apache-2.0
// A recurrent layer whose input's share of the gates is already there: one launch per time step, which multiplies the
// hidden state by the recurrent weights and applies the cell. Two directions run side by side in the same launches.
//
// A block makes the new state of kUnits units for kRows * kRowLanes samples. Its threads share the depth of that
// product: a thread sums every kDepthSlots-th group of four features for one unit's gates and kRows samples, and the
// parts are joined through shared memory in a fixed order. Few samples: many lanes along the depth, so that the
// weights, which come from L2 at every step, are read in long runs; many samples: more of them per weight that is read.
//
// initial_hidden, initial_cell: float operator()(int64_t direction, int64_t row, int64_t unit) const.
// store: void operator()(int64_t time, int64_t row, int64_t direction, int64_t unit, float hidden, float cell) const,
//   called for every step in the order of time (the last time first in the second direction). What it writes without
//   using the time is left as the last step made it.
// scratch: recurrent_scratch_floats() floats.
#pragma once

#include "kernels/common.cuh"
#include "kernels/rnn/cells.cuh"

namespace stitch {

struct RecurrentShape {
  int64_t steps;
  int64_t batch;
  int64_t directions;  // 1 or 2
  int64_t units;
};

// What a direction reads; that of the second stays empty where there is one direction alone.
template <typename T>
struct RecurrentOperands {
  const T* gates[2];  // the input's share: [steps, batch, gates * units], the last axis contiguous
  int64_t gates_time_stride[2];
  int64_t gates_batch_stride[2];
  const T* weight[2];  // [gates * units, units], contiguous
  const T* bias[2];    // [gates * units], contiguous, or nullptr
};

template <int kRowsOfThread, int kRowLanesOfWarp>
struct RecurrentTile {
  static constexpr int kThreads = 256;
  static constexpr int kUnits = 8;
  static constexpr int kRows = kRowsOfThread;
  static constexpr int kRowLanes = kRowLanesOfWarp;
  static constexpr int kDepthLanes = kWarpThreads / (kUnits * kRowLanes);
  static constexpr int kDepthSlots = kThreads / kWarpThreads * kDepthLanes;
  static constexpr int kBlockRows = kRows * kRowLanes;
  static_assert(kUnits * kRowLanes * kDepthLanes == kWarpThreads, "the lanes of a warp are units, rows and depth");
};

// The initial state of a layer without a cell state.
struct NoInitialCell {
  __device__ float operator()(int64_t, int64_t, int64_t) const { return 0.0f; }
};

inline int64_t recurrent_scratch_floats(const RecurrentShape& shape) {
  return 3 * shape.directions * shape.batch * shape.units;  // hidden before and after, cell
}

namespace rnn_detail {

constexpr int kDepthOfLoad = 4;

// The direction's entry. An index that is known only at run time would move the kernel's argument to local memory.
template <typename T>
__device__ __forceinline__ T of_direction(const T (&entries)[2], int64_t direction) {
  return direction == 0 ? entries[0] : entries[1];
}

struct RecurrentState {
  const float* hidden_before;
  float* hidden_after;
  float* cell;
};

template <typename InitialHidden, typename InitialCell>
__global__ void initial_state_kernel(RecurrentShape shape, InitialHidden initial_hidden, InitialCell initial_cell,
                                     float* hidden, float* cell) {
  const int64_t elements = shape.directions * shape.batch * shape.units;
  const int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index < elements) {
    const int64_t unit = index % shape.units;
    const int64_t row = index / shape.units % shape.batch;
    const int64_t direction = index / shape.units / shape.batch;
    hidden[index] = initial_hidden(direction, row, unit);
    cell[index] = initial_cell(direction, row, unit);
  }
}

// Four neighbouring features; those beyond the last are zero.
template <typename T>
__device__ __forceinline__ Lanes<float, kDepthOfLoad> load_depth(const T* row, int64_t depth, int64_t extent,
                                                                 bool vectorised) {
  if (vectorised) {
    return load_float_lanes<kDepthOfLoad>(row + depth);
  }
  Lanes<float, kDepthOfLoad> lanes;
#pragma unroll
  for (int lane = 0; lane < kDepthOfLoad; ++lane) {
    lanes[lane] = depth + lane < extent ? to_float(row[depth + lane]) : 0.0f;
  }
  return lanes;
}

// Where a thread stands in its block's product.
template <typename Tile>
struct Place {
  int slot;  // along the depth
  int unit;
  int row_lane;

  __device__ Place() {
    const int lane = static_cast<int>(threadIdx.x) % kWarpThreads;
    const int warp = static_cast<int>(threadIdx.x) / kWarpThreads;
    slot = warp * Tile::kDepthLanes + lane % Tile::kDepthLanes;
    unit = lane / Tile::kDepthLanes % Tile::kUnits;
    row_lane = lane / (Tile::kDepthLanes * Tile::kUnits);
  }
};

// This thread's part of the product. Units and samples beyond the last repeat it; nobody looks at their sums.
template <int kGates, typename Tile, typename T>
__device__ __forceinline__ void partial_product(const RecurrentShape& shape, const Place<Tile>& place, const T* weight,
                                                const float* hidden, bool vectorised,
                                                float (&sums)[Tile::kRows][kGates]) {
  const int64_t last_unit = shape.units - 1;
  const int64_t unit = min(static_cast<int64_t>(blockIdx.x) * Tile::kUnits + place.unit, last_unit);
  const T* weight_rows[kGates];
#pragma unroll
  for (int gate = 0; gate < kGates; ++gate) {
    weight_rows[gate] = weight + (gate * shape.units + unit) * shape.units;
  }
  const float* hidden_rows[Tile::kRows];
#pragma unroll
  for (int row = 0; row < Tile::kRows; ++row) {
    const int64_t wanted = static_cast<int64_t>(blockIdx.y) * Tile::kBlockRows + row * Tile::kRowLanes + place.row_lane;
    hidden_rows[row] = hidden + (blockIdx.z * shape.batch + min(wanted, shape.batch - 1)) * shape.units;
  }
  constexpr int kStride = Tile::kDepthSlots * kDepthOfLoad;
  for (int64_t depth = place.slot * kDepthOfLoad; depth < shape.units; depth += kStride) {
    Lanes<float, kDepthOfLoad> weights[kGates];
#pragma unroll
    for (int gate = 0; gate < kGates; ++gate) {
      weights[gate] = load_depth(weight_rows[gate], depth, shape.units, vectorised);
    }
#pragma unroll
    for (int row = 0; row < Tile::kRows; ++row) {
      const auto features = load_depth(hidden_rows[row], depth, shape.units, vectorised);
#pragma unroll
      for (int gate = 0; gate < kGates; ++gate) {
#pragma unroll
        for (int lane = 0; lane < kDepthOfLoad; ++lane) {
          sums[row][gate] += features[lane] * weights[gate][lane];
        }
      }
    }
  }
}

// Parts of the block's product as they lie in shared memory: neighbouring lanes write neighbouring words.
template <int kGates, typename Tile>
struct Parts {
  static constexpr int kPadding = 8;  // depth lanes then fall on different banks
  static constexpr int kStride = Tile::kBlockRows * kGates * Tile::kUnits + kPadding;
  float values[Tile::kDepthSlots * kStride];

  static __device__ __forceinline__ int index(int slot, int row, int row_lane, int gate, int unit) {
    return slot * kStride + ((row * kGates + gate) * Tile::kRowLanes + row_lane) * Tile::kUnits + unit;
  }

  // Adds the parts of all slots to what the threads keep, for sum() to read. All threads of the block take part, each
  // for words of its own.
  __device__ __forceinline__ void join(const Place<Tile>& place, const float (&sums)[Tile::kRows][kGates]) {
#pragma unroll
    for (int row = 0; row < Tile::kRows; ++row) {
#pragma unroll
      for (int gate = 0; gate < kGates; ++gate) {
        values[index(place.slot, row, place.row_lane, gate, place.unit)] = sums[row][gate];
      }
    }
    __syncthreads();
    for (int word = static_cast<int>(threadIdx.x); word < Tile::kBlockRows * kGates * Tile::kUnits;
         word += Tile::kThreads) {
      float sum = 0.0f;
#pragma unroll 8
      for (int slot = 0; slot < Tile::kDepthSlots; ++slot) {
        sum += values[slot * kStride + word];
      }
      values[word] = sum;
    }
    __syncthreads();
  }

  __device__ __forceinline__ float sum(int row_of_block, int gate, int unit) const {
    return values[index(0, row_of_block / Tile::kRowLanes, row_of_block % Tile::kRowLanes, gate, unit)];
  }
};

template <typename Cell, typename Tile, typename T, typename Store>
__global__ void __launch_bounds__(Tile::kThreads)
    recurrent_step_kernel(RecurrentShape shape, int64_t step, RecurrentOperands<T> operands, RecurrentState state,
                          bool vectorised, Store store) {
  constexpr int kGates = Cell::kGates;
  __shared__ Parts<kGates, Tile> parts;
  const Place<Tile> place;
  const int64_t direction = blockIdx.z;
  float sums[Tile::kRows][kGates] = {};
  partial_product<kGates, Tile>(shape, place, of_direction(operands.weight, direction), state.hidden_before, vectorised,
                                sums);
  parts.join(place, sums);
  const int pair = static_cast<int>(threadIdx.x);  // a sample and a unit
  if (pair >= Tile::kBlockRows * Tile::kUnits) {
    return;
  }
  const int unit_of_block = pair % Tile::kUnits;
  const int row_of_block = pair / Tile::kUnits;
  const int64_t unit = static_cast<int64_t>(blockIdx.x) * Tile::kUnits + unit_of_block;
  const int64_t row = static_cast<int64_t>(blockIdx.y) * Tile::kBlockRows + row_of_block;
  if (unit >= shape.units || row >= shape.batch) {
    return;
  }
  const int64_t time = direction == 0 ? step : shape.steps - 1 - step;
  const T* gates_row = of_direction(operands.gates, direction) +
                       time * of_direction(operands.gates_time_stride, direction) +
                       row * of_direction(operands.gates_batch_stride, direction);
  const T* bias = of_direction(operands.bias, direction);
  float from_input[kGates];
  float from_hidden[kGates];
#pragma unroll
  for (int gate = 0; gate < kGates; ++gate) {
    const int64_t column = gate * shape.units + unit;
    from_input[gate] = to_float(gates_row[column]);
    const float sum = parts.sum(row_of_block, gate, unit_of_block);
    from_hidden[gate] = bias == nullptr ? sum : sum + to_float(bias[column]);
  }
  const int64_t index = (direction * shape.batch + row) * shape.units + unit;
  float cell = Cell::kHasCell ? state.cell[index] : 0.0f;
  const float hidden = Cell::hidden(from_input, from_hidden, state.hidden_before[index], cell);
  state.hidden_after[index] = hidden;
  if constexpr (Cell::kHasCell) {
    state.cell[index] = cell;
  }
  store(time, row, direction, unit, hidden, cell);
}

}  // namespace rnn_detail

template <typename Cell, typename Tile, typename T, typename InitialHidden, typename InitialCell, typename Store>
cudaError_t launch_recurrent_layer(const RecurrentShape& shape, const RecurrentOperands<T>& operands,
                                   const InitialHidden& initial_hidden, const InitialCell& initial_cell,
                                   const Store& store, void* scratch, cudaStream_t stream) {
  using namespace rnn_detail;
  const int64_t elements = shape.directions * shape.batch * shape.units;
  if (elements == 0) {
    return cudaSuccess;
  }
  float* hidden[2] = {static_cast<float*>(scratch), static_cast<float*>(scratch) + elements};
  float* cell = hidden[1] + elements;
  initial_state_kernel<<<static_cast<unsigned>(ceil_divide(elements, Tile::kThreads)), Tile::kThreads, 0, stream>>>(
      shape, initial_hidden, initial_cell, hidden[0], cell);
  const dim3 grid(static_cast<unsigned>(ceil_divide(shape.units, Tile::kUnits)),
                  static_cast<unsigned>(ceil_divide(shape.batch, Tile::kBlockRows)),
                  static_cast<unsigned>(shape.directions));
  const bool vectorised = lanes_aligned(operands.weight[0], shape.units) &&
                          lanes_aligned(operands.weight[shape.directions - 1]) && lanes_aligned(hidden[0], shape.units);
  for (int64_t step = 0; step < shape.steps; ++step) {
    const RecurrentState state{hidden[step % 2], hidden[(step + 1) % 2], cell};
    recurrent_step_kernel<Cell, Tile, T, Store>
        <<<grid, Tile::kThreads, 0, stream>>>(shape, step, operands, state, vectorised, store);
  }
  return cudaGetLastError();
}

}  // namespace stitch
