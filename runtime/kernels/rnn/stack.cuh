// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other, in one direction. A layer's time step needs the same step of the layer below
// and its own step before: while a layer makes its step t, the one above makes step t - 1. So one launch, a wave, holds
// a step of every layer, and there are `layers - 1` more of them than time steps, however many layers there are.
//
// Blocks are those of kernels/rnn/layer.cuh; they multiply the features of the input as well, by the input's weights.
//
// store: as kernels/rnn/layer.cuh's, of the last layer; the direction is 0. Last states of the layers below it go where
// their operands say.
#pragma once

#include "kernels/rnn/layer.cuh"

namespace stitch {

struct StackShape {
  int64_t steps;
  int64_t batch;
  int64_t units;
  int64_t features;  // of the input of the first layer; those above read `units`
};

struct StackLayer {
  const float* input_weight;  // [gates * units, features], contiguous, as all of these
  const float* weight;        // [gates * units, units]
  const float* input_bias;    // [gates * units] or nullptr
  const float* bias;          // [gates * units] or nullptr
  float* last_hidden;         // [batch, units] or nullptr
  float* last_cell;           // [batch, units] or nullptr
};

template <int kLayers>
struct StackOperands {
  const float* x;  // its features are contiguous
  int64_t x_time_stride;
  int64_t x_batch_stride;
  StackLayer layers[kLayers];
};

// What the layers keep, in scratch memory: hidden states before even time steps and before odd ones, cell states.
struct StackState {
  StackShape shape;
  float* hidden[2];
  float* cell;

  StackState(const StackShape& of, int layers, void* scratch) : shape(of) {
    hidden[0] = static_cast<float*>(scratch);
    hidden[1] = hidden[0] + layers * states();
    cell = hidden[1] + layers * states();
  }

  __host__ __device__ int64_t states() const { return shape.batch * shape.units; }

  // The states of `layer` before the first step.
  template <typename InitialHidden, typename InitialCell>
  cudaError_t fill(int layer, const InitialHidden& initial_hidden, const InitialCell& initial_cell,
                   cudaStream_t stream) const {
    constexpr int kThreads = 256;
    if (states() == 0) {
      return cudaSuccess;
    }
    rnn_detail::initial_state_kernel<<<static_cast<unsigned>(ceil_divide(states(), kThreads)), kThreads, 0, stream>>>(
        RecurrentShape{shape.steps, shape.batch, 1, shape.units}, initial_hidden, initial_cell,
        hidden[0] + layer * states(), cell + layer * states());
    return cudaGetLastError();
  }
};

namespace rnn_detail {

// Where the input's and the hidden state's share of a gate are not simply added, their sums are kept apart.
template <typename Cell>
struct StackSums {
  static constexpr int kCount = Cell::kGates + (Cell::kSplitGate < Cell::kGates ? 1 : 0);
  // The sum that a gate's product with the hidden state goes to.
  static __device__ __forceinline__ constexpr int of_hidden(int gate) {
    return gate == Cell::kSplitGate ? Cell::kGates : gate;
  }
};

// Waves of a few layers then run at once on a large device.
constexpr int kBlocksOfMultiprocessor = 2;

// Rows of features that a block multiplies.
struct StackRows {
  const float* first;
  int64_t stride;
  int64_t depth;
  bool vectorised;
};

template <int kLayers>
__device__ __forceinline__ StackLayer of_layer(const StackOperands<kLayers>& operands, int64_t number) {
  StackLayer layer = operands.layers[0];
#pragma unroll
  for (int i = 1; i < kLayers; ++i) {
    if (number == i) {
      layer = operands.layers[i];
    }
  }
  return layer;
}

// Adds this thread's part of features * weight. Units and samples beyond the last repeat it; nobody looks at their
// sums.
template <typename Cell, typename Tile, bool kOfHidden>
__device__ __forceinline__ void add_product(const StackShape& shape, const Place<Tile>& place, const StackRows& rows,
                                            const float* weight, float (&sums)[Tile::kRows][StackSums<Cell>::kCount]) {
  const int64_t unit = min(static_cast<int64_t>(blockIdx.x) * Tile::kUnits + place.unit, shape.units - 1);
  const float* features[Tile::kRows];
#pragma unroll
  for (int row = 0; row < Tile::kRows; ++row) {
    const int64_t wanted = static_cast<int64_t>(blockIdx.y) * Tile::kBlockRows + row * Tile::kRowLanes + place.row_lane;
    features[row] = rows.first + min(wanted, shape.batch - 1) * rows.stride;
  }
  constexpr int kStride = Tile::kDepthSlots * kDepthOfLoad;
  for (int64_t depth = place.slot * kDepthOfLoad; depth < rows.depth; depth += kStride) {
    Lanes<float, kDepthOfLoad> weights[Cell::kGates];
#pragma unroll
    for (int gate = 0; gate < Cell::kGates; ++gate) {
      weights[gate] = load_depth(weight + (gate * shape.units + unit) * rows.depth, depth, rows.depth, rows.vectorised);
    }
#pragma unroll
    for (int row = 0; row < Tile::kRows; ++row) {
      const auto loaded = load_depth(features[row], depth, rows.depth, rows.vectorised);
#pragma unroll
      for (int gate = 0; gate < Cell::kGates; ++gate) {
        const int sum = kOfHidden ? StackSums<Cell>::of_hidden(gate) : gate;
#pragma unroll
        for (int lane = 0; lane < kDepthOfLoad; ++lane) {
          sums[row][sum] += loaded[lane] * weights[gate][lane];
        }
      }
    }
  }
}

// Both shares of each gate of one unit of one sample, from the sums of the block.
template <typename Cell>
__device__ __forceinline__ void add_biases(const StackLayer& layer, const StackShape& shape, int64_t unit,
                                           const float (&sums)[StackSums<Cell>::kCount],
                                           float (&from_input)[Cell::kGates], float (&from_hidden)[Cell::kGates]) {
#pragma unroll
  for (int gate = 0; gate < Cell::kGates; ++gate) {
    const int64_t column = gate * shape.units + unit;
    const int of_hidden = StackSums<Cell>::of_hidden(gate);
    from_input[gate] = sums[gate] + (layer.input_bias == nullptr ? 0.0f : layer.input_bias[column]);
    from_hidden[gate] =
        (of_hidden == gate ? 0.0f : sums[of_hidden]) + (layer.bias == nullptr ? 0.0f : layer.bias[column]);
  }
}

// Of a layer below the last one.
template <typename Cell>
__device__ __forceinline__ void store_last_states(const StackLayer& layer, int64_t index, float hidden, float cell) {
  if (layer.last_hidden != nullptr) {
    layer.last_hidden[index] = hidden;
  }
  if (Cell::kHasCell && layer.last_cell != nullptr) {
    layer.last_cell[index] = cell;
  }
}

template <typename Cell, typename Tile, int kLayers, typename Store>
__global__ void __launch_bounds__(Tile::kThreads, kBlocksOfMultiprocessor)
    stack_wave_kernel(StackShape shape, int64_t wave, int64_t first_layer, StackOperands<kLayers> operands,
                      StackState state, bool vectorised_x, bool vectorised, Store store) {
  constexpr int kSums = StackSums<Cell>::kCount;
  __shared__ Parts<kSums, Tile> parts;
  const Place<Tile> place;
  const int64_t number = first_layer + blockIdx.z;
  const int64_t time = wave - number;
  const StackLayer layer = of_layer(operands, number);
  const int64_t before = number * state.states();  // of this layer's states among all
  const float* hidden_before = (time % 2 == 0 ? state.hidden[0] : state.hidden[1]) + before;
  // The layer below made this step in the wave before, and leaves it alone in this one.
  float* all_after = time % 2 == 0 ? state.hidden[1] : state.hidden[0];
  float sums[Tile::kRows][kSums] = {};
  const StackRows x =
      number == 0
          ? StackRows{operands.x + time * operands.x_time_stride, operands.x_batch_stride, shape.features, vectorised_x}
          : StackRows{all_after + before - state.states(), shape.units, shape.units, vectorised};
  add_product<Cell, Tile, false>(shape, place, x, layer.input_weight, sums);
  add_product<Cell, Tile, true>(shape, place, {hidden_before, shape.units, shape.units, vectorised}, layer.weight,
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
  float joined[kSums];
#pragma unroll
  for (int sum = 0; sum < kSums; ++sum) {
    joined[sum] = parts.sum(row_of_block, sum, unit_of_block);
  }
  float from_input[Cell::kGates];
  float from_hidden[Cell::kGates];
  add_biases<Cell>(layer, shape, unit, joined, from_input, from_hidden);
  const int64_t index = row * shape.units + unit;
  float cell = Cell::kHasCell ? state.cell[before + index] : 0.0f;
  const float hidden = Cell::hidden(from_input, from_hidden, hidden_before[index], cell);
  all_after[before + index] = hidden;
  if constexpr (Cell::kHasCell) {
    state.cell[before + index] = cell;
  }
  if (number == kLayers - 1) {
    store(time, row, 0, unit, hidden, cell);
  } else if (time == shape.steps - 1) {
    store_last_states<Cell>(layer, index, hidden, cell);
  }
}

}  // namespace rnn_detail

// After StackState::fill() of every layer.
template <typename Cell, typename Tile, int kLayers, typename Store>
cudaError_t launch_recurrent_stack(const StackShape& shape, const StackOperands<kLayers>& operands,
                                   const StackState& state, const Store& store, cudaStream_t stream) {
  using namespace rnn_detail;
  if (state.states() == 0) {
    return cudaSuccess;
  }
  const bool vectorised_x =
      lanes_aligned(operands.x, operands.x_time_stride, operands.x_batch_stride, shape.features) &&
      lanes_aligned(operands.layers[0].input_weight);
  bool vectorised = lanes_aligned(state.hidden[0], shape.units);
  for (int number = 0; number < kLayers; ++number) {
    vectorised = vectorised && lanes_aligned(operands.layers[number].weight) &&
                 (number == 0 || lanes_aligned(operands.layers[number].input_weight));
  }
  for (int64_t wave = 0; wave < shape.steps + kLayers - 1; ++wave) {
    const int64_t first = wave < shape.steps ? 0 : wave - shape.steps + 1;
    const int64_t last = wave < kLayers - 1 ? wave : kLayers - 1;
    const dim3 grid(static_cast<unsigned>(ceil_divide(shape.units, Tile::kUnits)),
                    static_cast<unsigned>(ceil_divide(shape.batch, Tile::kBlockRows)),
                    static_cast<unsigned>(last - first + 1));
    stack_wave_kernel<Cell, Tile, kLayers, Store>
        <<<grid, Tile::kThreads, 0, stream>>>(shape, wave, first, operands, state, vectorised_x, vectorised, store);
  }
  return cudaGetLastError();
}

}  // namespace stitch
