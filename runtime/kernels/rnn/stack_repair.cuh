// SPDX-License-Identifier: Apache-2.0
// A stack of recurrent layers (kernels/rnn/stack.cuh) in plain fp32, one block a sample: slow, and called for where
// weights or initial states are so large that kernels/rnn/stack_clusters.cuh cannot split them.
#pragma once

#include "kernels/rnn/stack.cuh"

namespace stitch {
namespace rnn_detail {

constexpr int kRepairThreads = 256;  // at least as many as units

__device__ __forceinline__ float repair_product(const float* features, const float* weight, int64_t depth) {
  float sum = 0.0f;
#pragma unroll 1
  for (int64_t k = 0; k < depth; ++k) {
    sum += features[k] * weight[k];
  }
  return sum;
}

// Does nothing unless `wanted` is set, which is known on the device alone.
template <typename Cell, int kLayers, typename Store>
__global__ void __launch_bounds__(kRepairThreads)
    stack_repair_kernel(StackShape shape, StackOperands<kLayers> operands, StackState state, const unsigned* wanted,
                        Store store) {
  __shared__ float hidden[kLayers][kRepairThreads];
  if (*wanted == 0) {
    return;
  }
  const int64_t row = blockIdx.x;
  const int64_t unit = threadIdx.x;
  const bool is_unit = unit < shape.units;
  const int64_t index = row * shape.units + (is_unit ? unit : 0);
  float cells[kLayers];
  for (int number = 0; number < kLayers; ++number) {
    hidden[number][unit] = is_unit ? state.hidden[0][number * state.states() + index] : 0.0f;
    cells[number] = Cell::kHasCell ? state.cell[number * state.states() + index] : 0.0f;
  }
  __syncthreads();
  for (int64_t time = 0; time < shape.steps; ++time) {
#pragma unroll 1
    for (int number = 0; number < kLayers; ++number) {
      const StackLayer layer = of_layer(operands, number);
      const float* x = number == 0 ? operands.x + time * operands.x_time_stride + row * operands.x_batch_stride
                                   : hidden[number == 0 ? 0 : number - 1];
      const int64_t features = number == 0 ? shape.features : shape.units;
      float made = 0.0f;
      if (is_unit) {
        float from_input[Cell::kGates];
        float from_hidden[Cell::kGates];
#pragma unroll
        for (int gate = 0; gate < Cell::kGates; ++gate) {
          const int64_t column = gate * shape.units + unit;
          from_input[gate] = repair_product(x, layer.input_weight + column * features, features) +
                             (layer.input_bias == nullptr ? 0.0f : layer.input_bias[column]);
          from_hidden[gate] = repair_product(hidden[number], layer.weight + column * shape.units, shape.units) +
                              (layer.bias == nullptr ? 0.0f : layer.bias[column]);
        }
        made = Cell::hidden(from_input, from_hidden, hidden[number][unit], cells[number]);
      }
      __syncthreads();
      hidden[number][unit] = made;
      __syncthreads();
      if (is_unit && number == kLayers - 1) {
        store(time, row, 0, unit, made, cells[number]);
      } else if (is_unit && time == shape.steps - 1) {
        store_last_states<Cell>(layer, index, made, cells[number]);
      }
    }
  }
}

}  // namespace rnn_detail
}  // namespace stitch
