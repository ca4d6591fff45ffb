// SPDX-License-Identifier: Apache-2.0
// Recurrent layers one above the other on random numbers, and what a plain loop makes of them.
#pragma once

#include <deque>

#include "kernels/rnn/stack.cuh"
#include "rnn_support.cuh"

namespace stitch_test {

using namespace stitch;

struct StackInitial {
  const float* state;
  int64_t units;

  __device__ float operator()(int64_t, int64_t row, int64_t unit) const { return state[row * units + unit]; }
};

struct StackStore {
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

struct StackedWeights {
  std::vector<float> input_weight, weight, input_bias, bias, hidden, cell;
  bool has_bias;
};

// Replaces `x` [steps, batch, features] by the layer's output; the states are advanced.
template <typename Cell>
std::vector<double> stack_reference(const StackShape& shape, const StackedWeights& layer, const std::vector<double>& x,
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

struct StackWay {
  bool is_batch_first;
  bool has_bias;
  float weights = 1.0f;  // times those that keep states apart
  float initial = 1.0f;  // the largest initial state
  float first = 0.0f;    // of the input's elements, where it is not 0
};

template <typename Cell, int kLayers>
class StackCase {
 public:
  StackCase(const StackShape& shape, const StackWay& way, int64_t scratch_floats = 0)
      : shape_(shape),
        states_(shape.batch * shape.units),
        output_(shape.steps * states_),
        top_hidden_(states_),
        top_cell_(states_),
        scratch_(3 * kLayers * states_ + scratch_floats),
        state_(shape, kLayers, scratch_.data()) {
    auto x = random_floats(shape.steps * shape.batch * shape.features, 1);
    if (way.first != 0.0f) {
      x[0] = way.first;
    }
    std::vector<double> want(x.begin(), x.end());
    for (int64_t i = 0; way.is_batch_first && i < static_cast<int64_t>(x.size()); ++i) {
      const int64_t row = i / shape.features;
      want[(row % shape.steps * shape.batch + row / shape.steps) * shape.features + i % shape.features] = x[i];
    }
    operands_.x = on_device(x);
    operands_.x_time_stride = (way.is_batch_first ? 1 : shape.batch) * shape.features;
    operands_.x_batch_stride = (way.is_batch_first ? shape.steps : 1) * shape.features;
    for (int number = 0; number < kLayers; ++number) {
      want = add_layer(number, way, want);
    }
    want_ = want;
  }

  const StackShape& shape() const { return shape_; }
  const StackOperands<kLayers>& operands() const { return operands_; }
  const StackState& state() const { return state_; }
  const DeviceFloats& scratch() const { return scratch_; }
  StackStore store() const { return {output_.data(), top_hidden_.data(), top_cell_.data(), shape_}; }

  void fill(Checker& checker, const std::string& name) const {
    for (int number = 0; number < kLayers; ++number) {
      checker.launched(name, state_.fill(number, StackInitial{initial_[2 * number], shape_.units},
                                         StackInitial{initial_[2 * number + 1], shape_.units}, nullptr));
    }
  }

  void check(Checker& checker, const std::string& name, double tolerance) const {
    checker.close(name, output_.values(), want_, tolerance);
    checker.close(name + ", hidden", top_hidden_.values(), hidden_.back(), tolerance);
    if (Cell::kHasCell) {
      checker.close(name + ", cell", top_cell_.values(), cell_.back(), tolerance);
    }
    for (int number = 0; number + 1 < kLayers; ++number) {
      checker.close(name + ", hidden of a lower layer", last_[2 * number]->values(), hidden_[number], tolerance);
      if (Cell::kHasCell) {
        checker.close(name + ", cell of a lower layer", last_[2 * number + 1]->values(), cell_[number], tolerance);
      }
    }
  }

 private:
  template <typename Values>
  float* on_device(const Values& values) {
    return kept_.emplace_back(values).data();
  }

  std::vector<double> add_layer(int number, const StackWay& way, const std::vector<double>& x) {
    const int64_t width = Cell::kGates * shape_.units;
    const float spread = way.weights / std::sqrt(static_cast<float>(shape_.units));
    const uint64_t seed = 10 * (number + 1);
    const int64_t features = number == 0 ? shape_.features : shape_.units;
    const StackedWeights layer{random_floats(width * features, seed, -spread, spread),
                               random_floats(width * shape_.units, seed + 1, -spread, spread),
                               random_floats(width, seed + 2),
                               random_floats(width, seed + 3),
                               random_floats(states_, seed + 4, -way.initial, way.initial),
                               random_floats(states_, seed + 5),
                               way.has_bias};
    hidden_.emplace_back(layer.hidden.begin(), layer.hidden.end());
    cell_.emplace_back(layer.cell.begin(), layer.cell.end());
    initial_.push_back(on_device(layer.hidden));
    initial_.push_back(on_device(layer.cell));
    for (int i = 0; i < 2; ++i) {
      last_.push_back(&kept_.emplace_back(states_));
    }
    operands_.layers[number] = {on_device(layer.input_weight),
                                on_device(layer.weight),
                                way.has_bias ? on_device(layer.input_bias) : nullptr,
                                way.has_bias ? on_device(layer.bias) : nullptr,
                                last_[2 * number]->data(),
                                last_[2 * number + 1]->data()};
    return stack_reference<Cell>(shape_, layer, x, features, hidden_.back(), cell_.back());
  }

  StackShape shape_;
  int64_t states_;
  std::deque<DeviceFloats> kept_;
  DeviceFloats output_, top_hidden_, top_cell_, scratch_;
  StackOperands<kLayers> operands_{};
  StackState state_;
  std::vector<const float*> initial_;      // hidden and cell of each layer
  std::vector<const DeviceFloats*> last_;  // the same
  std::vector<std::vector<double>> hidden_, cell_;
  std::vector<double> want_;
};

template <typename Cell, int kLayers>
std::string stack_name(const StackShape& shape) {
  return "gates " + std::to_string(Cell::kGates) + ", " + std::to_string(kLayers) + " layers, " +
         std::to_string(shape.steps) + " steps of " + std::to_string(shape.batch) + "x" + std::to_string(shape.units);
}

}  // namespace stitch_test
