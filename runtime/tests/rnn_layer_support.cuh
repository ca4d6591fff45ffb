// SPDX-License-Identifier: Apache-2.0
// A recurrent layer once more in double precision, and the check of one against it.
#pragma once

#include "kernels/rnn/layer.cuh"
#include "rnn_support.cuh"

namespace stitch_test {

using stitch::RecurrentOperands;
using stitch::RecurrentShape;

struct Initial {
  const float* state;
  int64_t batch;
  int64_t units;

  __device__ float operator()(int64_t direction, int64_t row, int64_t unit) const {
    return state[(direction * batch + row) * units + unit];
  }
};

struct Store {
  float* output;
  float* last_hidden;
  float* last_cell;
  RecurrentShape shape;

  __device__ void operator()(int64_t time, int64_t row, int64_t direction, int64_t unit, float hidden,
                             float cell) const {
    output[((time * shape.batch + row) * shape.directions + direction) * shape.units + unit] = hidden;
    last_hidden[(direction * shape.batch + row) * shape.units + unit] = hidden;
    last_cell[(direction * shape.batch + row) * shape.units + unit] = cell;
  }
};

struct Layer {
  std::vector<float> gates[2], weight[2], bias[2];
  std::vector<float> hidden, cell;
  int64_t time_stride, batch_stride;  // of the gates
};

struct Expected {
  std::vector<double> output, hidden, cell;
};

template <typename Cell>
inline Expected reference(const RecurrentShape& shape, const Layer& layer, bool has_bias) {
  Expected want{std::vector<double>(static_cast<size_t>(shape.steps * shape.batch * shape.directions * shape.units)),
                {layer.hidden.begin(), layer.hidden.end()},
                {layer.cell.begin(), layer.cell.end()}};
  for (int64_t direction = 0; direction < shape.directions; ++direction) {
    for (int64_t step = 0; step < shape.steps; ++step) {
      const int64_t time = direction == 0 ? step : shape.steps - 1 - step;
      const std::vector<double> before = want.hidden;
      for (int64_t row = 0; row < shape.batch; ++row) {
        for (int64_t unit = 0; unit < shape.units; ++unit) {
          double x[Cell::kGates];
          double h[Cell::kGates];
          for (int gate = 0; gate < Cell::kGates; ++gate) {
            const int64_t column = gate * shape.units + unit;
            x[gate] = layer.gates[direction][time * layer.time_stride + row * layer.batch_stride + column];
            h[gate] = has_bias ? layer.bias[direction][column] : 0.0;
            for (int64_t k = 0; k < shape.units; ++k) {
              h[gate] += static_cast<double>(layer.weight[direction][column * shape.units + k]) *
                         before[(direction * shape.batch + row) * shape.units + k];
            }
          }
          const int64_t at = (direction * shape.batch + row) * shape.units + unit;
          want.hidden[at] = reference_unit(Cell{}, x, h, before[at], want.cell[at]);
          want.output[((time * shape.batch + row) * shape.directions + direction) * shape.units + unit] =
              want.hidden[at];
        }
      }
    }
  }
  return want;
}

// `launch` gets the shape, operands, initial states and a store.
template <typename Cell, typename Launch>
void check_layer(Checker& checker, const std::string& tile, const RecurrentShape& shape, bool batch_first,
                 const Launch& launch) {
  const auto [steps, batch, directions, units] = shape;
  const int64_t width = Cell::kGates * units;
  const float spread = 1.0f / std::sqrt(static_cast<float>(units));
  Layer layer;
  layer.time_stride = batch_first ? width : batch * width;
  layer.batch_stride = batch_first ? steps * width : width;
  for (uint64_t direction = 0; direction < 2; ++direction) {
    layer.gates[direction] = random_floats(steps * batch * width, 1 + 10 * direction);
    layer.weight[direction] = random_floats(width * units, 2 + 10 * direction, -spread, spread);
    layer.bias[direction] = random_floats(width, 3 + 10 * direction);
  }
  layer.hidden = random_floats(directions * batch * units, 4);
  layer.cell = random_floats(directions * batch * units, 5);
  const bool has_bias = units % 2 == 1 || batch_first;
  const DeviceFloats gates[2] = {DeviceFloats(layer.gates[0]), DeviceFloats(layer.gates[1])};
  const DeviceFloats weight[2] = {DeviceFloats(layer.weight[0]), DeviceFloats(layer.weight[1])};
  const DeviceFloats bias[2] = {DeviceFloats(layer.bias[0]), DeviceFloats(layer.bias[1])};
  const DeviceFloats hidden(layer.hidden);
  const DeviceFloats cell(layer.cell);
  const DeviceFloats output(steps * batch * directions * units);
  const DeviceFloats last_hidden(directions * batch * units);
  const DeviceFloats last_cell(directions * batch * units);
  const Expected want = reference<Cell>(shape, layer, has_bias);
  const std::string name = "gates " + std::to_string(Cell::kGates) + " " + tile + ": " + std::to_string(steps) +
                           " steps of " + std::to_string(batch) + "x" + std::to_string(directions) + "x" +
                           std::to_string(units);
  RecurrentOperands<float> operands{};
  for (int64_t direction = 0; direction < directions; ++direction) {
    operands.gates[direction] = gates[direction].data();
    operands.gates_time_stride[direction] = layer.time_stride;
    operands.gates_batch_stride[direction] = layer.batch_stride;
    operands.weight[direction] = weight[direction].data();
    operands.bias[direction] = has_bias ? bias[direction].data() : nullptr;
  }
  checker.launched(name,
                   launch(shape, operands, Initial{hidden.data(), batch, units}, Initial{cell.data(), batch, units},
                          Store{output.data(), last_hidden.data(), last_cell.data(), shape}));
  checker.close(name, output.values(), want.output, 2e-5);
  checker.close(name + ", hidden", last_hidden.values(), want.hidden, 2e-5);
  if (Cell::kHasCell) {
    checker.close(name + ", cell", last_cell.values(), want.cell, 2e-5);
  }
}

}  // namespace stitch_test
