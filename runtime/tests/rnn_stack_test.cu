// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other: every cell, ragged units and samples, more layers than time steps, inputs that
// lie batch first or unaligned, last states of every layer, against a plain loop.
#include <deque>

#include "kernels/rnn/stack.cuh"
#include "rnn_support.cuh"

namespace {

using namespace stitch;
using namespace stitch_test;

struct Initial {
  const float* state;
  int64_t units;

  __device__ float operator()(int64_t, int64_t row, int64_t unit) const { return state[row * units + unit]; }
};

struct Store {
  float* output;
  float* last_hidden;
  float* last_cell;
  StackShape shape;

  __device__ void operator()(int64_t time, int64_t row, int64_t, int64_t unit, float hidden, float cell) const {
    output[(time * shape.batch + row) * shape.units + unit] = hidden;
    last_hidden[row * shape.units + unit] = hidden;
    last_cell[row * shape.units + unit] = cell;
  }
};

struct Layer {
  std::vector<float> input_weight, weight, input_bias, bias, hidden, cell;
  bool has_bias;
};

// Replaces `x` [steps, batch, features] by the layer's output; the states are advanced.
template <typename Cell>
std::vector<double> reference(const StackShape& shape, const Layer& layer, const std::vector<double>& x,
                              int64_t features, std::vector<double>& hidden, std::vector<double>& cell) {
  std::vector<double> output(static_cast<size_t>(shape.steps * shape.batch * shape.units));
  for (int64_t time = 0; time < shape.steps; ++time) {
    const std::vector<double> before = hidden;
    for (int64_t row = 0; row < shape.batch; ++row) {
      for (int64_t unit = 0; unit < shape.units; ++unit) {
        double from_input[Cell::kGates];
        double from_hidden[Cell::kGates];
        for (int gate = 0; gate < Cell::kGates; ++gate) {
          const int64_t column = gate * shape.units + unit;
          from_input[gate] = layer.has_bias ? layer.input_bias[column] : 0.0;
          from_hidden[gate] = layer.has_bias ? layer.bias[column] : 0.0;
          for (int64_t k = 0; k < features; ++k) {
            from_input[gate] +=
                layer.input_weight[column * features + k] * x[(time * shape.batch + row) * features + k];
          }
          for (int64_t k = 0; k < shape.units; ++k) {
            from_hidden[gate] += layer.weight[column * shape.units + k] * before[row * shape.units + k];
          }
        }
        const int64_t at = row * shape.units + unit;
        hidden[at] = reference_unit(Cell{}, from_input, from_hidden, before[at], cell[at]);
        output[(time * shape.batch + row) * shape.units + unit] = hidden[at];
      }
    }
  }
  return output;
}

struct Way {
  bool is_batch_first;
  bool has_bias;
};

template <typename Cell, int kRows, int kLayers>
void check(Checker& checker, const StackShape& shape, const Way& way) {
  const int64_t width = Cell::kGates * shape.units;
  const int64_t states = shape.batch * shape.units;
  const float spread = 1.0f / std::sqrt(static_cast<float>(shape.units));
  const auto x = random_floats(shape.steps * shape.batch * shape.features, 1);
  std::vector<double> want(x.begin(), x.end());
  if (way.is_batch_first) {
    for (int64_t i = 0; i < shape.steps * shape.batch * shape.features; ++i) {
      const int64_t row = i / shape.features;
      want[(row % shape.steps * shape.batch + row / shape.steps) * shape.features + i % shape.features] = x[i];
    }
  }
  const DeviceFloats device_x(x);
  const DeviceFloats output(shape.steps * states);
  const DeviceFloats top_hidden(states);
  const DeviceFloats top_cell(states);
  const DeviceFloats scratch(3 * kLayers * states);
  StackOperands<kLayers> operands{};
  operands.x = device_x.data();
  operands.x_time_stride = (way.is_batch_first ? 1 : shape.batch) * shape.features;
  operands.x_batch_stride = (way.is_batch_first ? shape.steps : 1) * shape.features;
  const StackState state(shape, kLayers, scratch.data());
  std::deque<DeviceFloats> kept;
  const auto on_device = [&](const auto& values) { return kept.emplace_back(values).data(); };
  std::vector<std::vector<double>> hidden_wanted;
  std::vector<std::vector<double>> cell_wanted;
  const std::string name = "gates " + std::to_string(Cell::kGates) + ", " + std::to_string(kLayers) + " layers, " +
                           std::to_string(shape.steps) + " steps of " + std::to_string(shape.batch) + "x" +
                           std::to_string(shape.units);
  for (int number = 0; number < kLayers; ++number) {
    const uint64_t seed = 10 * (number + 1);
    const int64_t features = number == 0 ? shape.features : shape.units;
    const Layer layer{random_floats(width * features, seed, -spread, spread),
                      random_floats(width * shape.units, seed + 1, -spread, spread),
                      random_floats(width, seed + 2),
                      random_floats(width, seed + 3),
                      random_floats(states, seed + 4),
                      random_floats(states, seed + 5),
                      way.has_bias};
    hidden_wanted.emplace_back(layer.hidden.begin(), layer.hidden.end());
    cell_wanted.emplace_back(layer.cell.begin(), layer.cell.end());
    want = reference<Cell>(shape, layer, want, features, hidden_wanted.back(), cell_wanted.back());
    operands.layers[number] = {on_device(layer.input_weight),
                               on_device(layer.weight),
                               way.has_bias ? on_device(layer.input_bias) : nullptr,
                               way.has_bias ? on_device(layer.bias) : nullptr,
                               on_device(states),
                               on_device(states)};
    checker.launched(name, state.fill(number, Initial{on_device(layer.hidden), shape.units},
                                      Initial{on_device(layer.cell), shape.units}, nullptr));
  }
  checker.launched(
      name, launch_recurrent_stack<Cell, RecurrentTile<kRows, 1>>(
                shape, operands, state, Store{output.data(), top_hidden.data(), top_cell.data(), shape}, nullptr));
  checker.close(name, output.values(), want, 2e-5);
  checker.close(name + ", hidden", top_hidden.values(), hidden_wanted.back(), 2e-5);
  if (Cell::kHasCell) {
    checker.close(name + ", cell", top_cell.values(), cell_wanted.back(), 2e-5);
  }
  for (int number = 0; number + 1 < kLayers; ++number) {
    const StackLayer& layer = operands.layers[number];
    for (const DeviceFloats& floats : kept) {
      if (floats.data() == layer.last_hidden) {
        checker.close(name + ", hidden of a lower layer", floats.values(), hidden_wanted[number], 2e-5);
      }
      if (Cell::kHasCell && floats.data() == layer.last_cell) {
        checker.close(name + ", cell of a lower layer", floats.values(), cell_wanted[number], 2e-5);
      }
    }
  }
}

template <typename Cell>
void check_cell(Checker& checker) {
  check<Cell, 1, 2>(checker, {5, 1, 40, 12}, {false, true});
  check<Cell, 4, 3>(checker, {4, 7, 33, 5}, {true, false});
  check<Cell, 8, 3>(checker, {2, 9, 20, 7}, {false, true});  // fewer steps than layers
  check<Cell, 10, 2>(checker, {3, 10, 36, 140}, {true, true});
  check<Cell, 1, 4>(checker, {1, 2, 8, 4}, {false, true});
}

}  // namespace

int main(int count, char** arguments) {
  use_schedule(count, arguments);
  Checker checker;
  check_cell<LstmCell>(checker);
  check_cell<GruCell>(checker);
  check_cell<RnnTanhCell>(checker);
  check_cell<RnnReluCell>(checker);
  return checker.finish();
}
