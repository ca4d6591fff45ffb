// SPDX-License-Identifier: Apache-2.0
// LSTM, GRU and RNN, whole or one cell: per layer and direction one product of all time steps by weight_ih, and per
// layer one recurrent node. A cell is a layer of one step.
#include <optional>

#include "frontend/aten/converters.h"

namespace stitch::frontend {
namespace {

struct Kind {
  Op op{};
  Attributes attributes;
  bool has_cell = false;
};

const Kind kLstm{Op::kLstmLayer, {}, true};
const Kind kGru{Op::kGruLayer, {}, false};
const Kind kRnnTanh{Op::kRnnLayer, {{"nonlinearity", std::string("tanh")}}, false};
const Kind kRnnRelu{Op::kRnnLayer, {{"nonlinearity", std::string("relu")}}, false};

// The weights of one direction of one layer.
struct Weights {
  ValueId input, hidden;
  Operand input_bias = Absent{};
  Operand hidden_bias = Absent{};
  std::optional<ValueId> projection;  // of an LSTM with proj_size: [projected units, units]
};

struct Layer {
  std::vector<Weights> directions;
  ValueId hidden;  // [directions, batch, units]
  ValueId cell;    // the same, of an LSTM
};

Result<ValueId> swapped_axes(Call& call, ValueId x) {
  return call.emit(Op::kPermute, {x}, {{"dims", std::vector<int64_t>{1, 0, 2}}});
}

Result<ValueId> part_of_axis(Call& call, ValueId x, int64_t axis, int64_t start, int64_t end) {
  if (start == 0 && end == call.shape(x)[static_cast<size_t>(axis)]) {
    return x;
  }
  return call.emit(Op::kSlice, {x}, {{"dim", axis}, {"start", start}, {"end", end}, {"step", int64_t{1}}});
}

Result<ValueId> concatenated(Call& call, const std::vector<Operand>& parts, int64_t axis) {
  if (parts.size() == 1) {
    return std::get<ValueId>(parts[0]);
  }
  return call.emit(Op::kCat, parts, {{"dim", axis}});
}

// An LSTM whose hidden state is projected runs on the state before its projection: a step's share of the gates,
// weight_hh * (projection * state), is that of the product of both weights, which depends on parameters alone. The
// initial hidden state has no such preimage; its share goes to the gates of the first step.
Result<Layer> without_projection(Call& call, const Layer& layer) {
  Layer plain = layer;
  const std::vector<int64_t> cell = call.shape(layer.cell);
  STITCH_ASSIGN(plain.hidden,
                call.emit(Op::kFull, {}, {{"shape", cell}, {"value", 0.0}, {"dtype", call.type(layer.cell).dtype}}));
  for (Weights& weights : plain.directions) {
    STITCH_ASSIGN(weights.hidden, call.emit(Op::kMatmul, {weights.hidden, *weights.projection}));
  }
  return plain;
}

// Adds the initial hidden state's share of the gates [time, batch, gates] where direction `number` starts.
Result<ValueId> with_initial_share(Call& call, ValueId gates, const Layer& layer, int64_t number) {
  STITCH_ASSIGN(const ValueId hidden, part_of_axis(call, layer.hidden, 0, number, number + 1));
  STITCH_ASSIGN(ValueId share,
                call.emit(Op::kLinear, {hidden, layer.directions[static_cast<size_t>(number)].hidden, Absent{}}));
  const int64_t later = call.shape(gates)[0] - 1;
  if (later > 0) {
    const std::vector<int64_t> before = {number == 0 ? 0 : later, 0, 0};
    const std::vector<int64_t> after = {number == 0 ? later : 0, 0, 0};
    STITCH_ASSIGN(share,
                  call.emit(Op::kPad, {share},
                            {{"before", before}, {"after", after}, {"mode", std::string("constant")}, {"value", 0.0}}));
  }
  return call.emit(Op::kAdd, {gates, share});
}

// Output and last hidden state of every direction through its projection.
Result<void> project(Call& call, const Layer& layer, std::vector<ValueId>& results) {
  const int64_t units = call.shape(layer.cell)[2];
  std::vector<Operand> outputs;
  std::vector<Operand> states;
  for (const Weights& weights : layer.directions) {
    const auto number = static_cast<int64_t>(outputs.size());
    STITCH_ASSIGN(const ValueId output, part_of_axis(call, results[0], 2, number * units, (number + 1) * units));
    STITCH_ASSIGN(const ValueId state, part_of_axis(call, results[1], 0, number, number + 1));
    STITCH_ASSIGN(const ValueId projected_output, call.emit(Op::kLinear, {output, *weights.projection, Absent{}}));
    STITCH_ASSIGN(const ValueId projected_state, call.emit(Op::kLinear, {state, *weights.projection, Absent{}}));
    outputs.emplace_back(projected_output);
    states.emplace_back(projected_state);
  }
  STITCH_ASSIGN(results[0], concatenated(call, outputs, 2));
  STITCH_ASSIGN(results[1], concatenated(call, states, 0));
  return {};
}

// One layer over x [time, batch, features], or [batch, time, features]: output and last states, time first.
Result<std::vector<ValueId>> emit_layer(Call& call, const Kind& kind, const Layer& given, ValueId x, bool batch_first) {
  const bool projects = given.directions[0].projection.has_value();
  Layer layer = given;
  if (projects) {
    STITCH_ASSIGN(layer, without_projection(call, given));
  }
  std::vector<Operand> operands;
  int64_t number = 0;
  for (const Weights& weights : layer.directions) {
    STITCH_ASSIGN(ValueId gates, call.emit(Op::kLinear, {x, weights.input, weights.input_bias}));
    if (batch_first) {
      STITCH_ASSIGN(gates, swapped_axes(call, gates));
    }
    if (projects) {
      STITCH_ASSIGN(gates, with_initial_share(call, gates, given, number++));
    }
    operands.emplace_back(gates);
    if (operands.size() == 1) {
      operands.emplace_back(layer.hidden);
      if (kind.has_cell) {
        operands.emplace_back(layer.cell);
      }
    }
    operands.emplace_back(weights.hidden);
    operands.push_back(weights.hidden_bias);
  }
  if (layer.directions.size() == 1) {
    operands.insert(operands.end(), 3, Absent{});
  }
  STITCH_ASSIGN(std::vector<ValueId> results, call.emit_all(kind.op, operands, kind.attributes));
  if (projects) {
    STITCH_TRY(project(call, given, results));
  }
  return results;
}

// What torch.nn's modules hand to the whole network: (input, hx, params, has_biases, num_layers, dropout, train,
// bidirectional, batch_first).
struct Network {
  ValueId input;
  std::vector<ValueId> states;  // hidden, and cell of an LSTM: [layers * directions, batch, units]
  std::vector<ValueId> parameters;
  bool has_biases = true;
  bool has_projections = false;
  int64_t layers = 1;
  int64_t directions = 1;

  size_t parameters_of_direction() const { return (has_biases ? 4U : 2U) + (has_projections ? 1U : 0U); }
  bool batch_first = false;
};

Result<Network> read_network(Call& call, const Kind& kind) {
  Network network;
  if (call.node().overload != "input") {
    return call.unsupported("packed sequences depend on the values of their lengths; pad the batch instead");
  }
  STITCH_ASSIGN(network.input, call.tensor(0, "input"));
  if (kind.has_cell) {
    STITCH_ASSIGN(network.states, call.tensors(1, "hx"));
  } else {
    STITCH_ASSIGN(const ValueId hidden, call.tensor(1, "hx"));
    network.states = {hidden};
  }
  STITCH_ASSIGN(network.parameters, call.tensors(2, "params"));
  STITCH_ASSIGN(network.has_biases, call.boolean(3, "has_biases"));
  STITCH_ASSIGN(network.layers, call.integer(4, "num_layers"));
  STITCH_ASSIGN(const double dropout, call.number(5, "dropout"));
  STITCH_ASSIGN(const bool train, call.boolean(6, "train"));
  STITCH_ASSIGN(const bool bidirectional, call.boolean(7, "bidirectional"));
  STITCH_ASSIGN(network.batch_first, call.boolean(8, "batch_first"));
  network.directions = bidirectional ? 2 : 1;
  STITCH_TRY(call.require(dropout == 0.0 || !train || network.layers == 1,
                          "dropout between layers was not exported as an operator of its own"));
  STITCH_TRY(call.require(network.layers >= 1, "has no layer"));
  STITCH_TRY(call.require(call.shape(network.input).size() == 3, "the input needs three axes"));
  STITCH_TRY(call.require(network.states.size() == (kind.has_cell ? 2 : 1), "the initial state has too few parts"));
  const auto directions = static_cast<size_t>(network.layers * network.directions);
  network.has_projections =
      kind.has_cell && network.parameters.size() == directions * (network.parameters_of_direction() + 1);
  STITCH_TRY(call.require(network.parameters.size() == directions * network.parameters_of_direction(),
                          "does not have the weights of its layers"));
  for (const ValueId state : network.states) {
    STITCH_TRY(call.require(call.shape(state).size() == 3, "the initial state needs three axes"));
  }
  return network;
}

// Layer `number`'s part of a state.
Result<ValueId> state_of_layer(Call& call, const Network& network, ValueId state, int64_t number) {
  const int64_t start = number * network.directions;
  return part_of_axis(call, state, 0, start, start + network.directions);
}

Result<Layer> layer_of(Call& call, const Kind& kind, const Network& network, int64_t number) {
  Layer layer;
  const size_t per_direction = network.parameters_of_direction();
  for (int64_t direction = 0; direction < network.directions; ++direction) {
    const size_t first = static_cast<size_t>(number * network.directions + direction) * per_direction;
    Weights weights;
    weights.input = network.parameters[first];
    weights.hidden = network.parameters[first + 1];
    if (network.has_biases) {
      weights.input_bias = network.parameters[first + 2];
      weights.hidden_bias = network.parameters[first + 3];
    }
    if (network.has_projections) {
      weights.projection = network.parameters[first + per_direction - 1];
    }
    layer.directions.push_back(weights);
  }
  STITCH_ASSIGN(layer.hidden, state_of_layer(call, network, network.states[0], number));
  if (kind.has_cell) {
    STITCH_ASSIGN(layer.cell, state_of_layer(call, network, network.states[1], number));
  }
  return layer;
}

Converted convert_network(Call& call, const Kind& kind) {
  STITCH_ASSIGN(const Network network, read_network(call, kind));
  ValueId x = network.input;
  std::vector<std::vector<Operand>> last_states(network.states.size());  // by kind of state, then layer
  for (int64_t number = 0; number < network.layers; ++number) {
    STITCH_ASSIGN(const Layer layer, layer_of(call, kind, network, number));
    STITCH_ASSIGN(const std::vector<ValueId> results,
                  emit_layer(call, kind, layer, x, network.batch_first && number == 0));
    x = results[0];
    for (size_t i = 0; i < last_states.size(); ++i) {
      last_states[i].emplace_back(results[i + 1]);
    }
  }
  if (network.batch_first) {
    STITCH_ASSIGN(x, swapped_axes(call, x));
  }
  std::vector<ValueId> outputs = {x};
  for (const std::vector<Operand>& states : last_states) {
    STITCH_ASSIGN(const ValueId all, concatenated(call, states, 0));
    outputs.push_back(all);
  }
  return outputs;
}

Result<ValueId> with_leading_one(Call& call, ValueId x) {
  std::vector<int64_t> shape = call.shape(x);
  shape.insert(shape.begin(), 1);
  return call.reshape(x, shape);
}

// (input, hx, w_ih, w_hh, b_ih, b_hh)
Converted convert_cell(Call& call, const Kind& kind) {
  STITCH_ASSIGN(ValueId x, call.tensor(0, "input"));
  std::vector<ValueId> states;
  if (kind.has_cell) {
    STITCH_ASSIGN(states, call.tensors(1, "hx"));
  } else {
    STITCH_ASSIGN(const ValueId hidden, call.tensor(1, "hx"));
    states = {hidden};
  }
  STITCH_TRY(call.require(states.size() == (kind.has_cell ? 2 : 1), "the state has too few parts"));
  STITCH_TRY(call.require(call.shape(x).size() == 2, "the input needs two axes"));
  Weights weights;
  STITCH_ASSIGN(weights.input, call.tensor(2, "w_ih"));
  STITCH_ASSIGN(weights.hidden, call.tensor(3, "w_hh"));
  STITCH_ASSIGN(weights.input_bias, call.optional_tensor(4, "b_ih"));
  STITCH_ASSIGN(weights.hidden_bias, call.optional_tensor(5, "b_hh"));
  const std::vector<int64_t> shape = call.shape(states[0]);
  Layer layer{{weights}, {}, {}};
  STITCH_ASSIGN(x, with_leading_one(call, x));
  STITCH_ASSIGN(layer.hidden, with_leading_one(call, states[0]));
  if (kind.has_cell) {
    STITCH_ASSIGN(layer.cell, with_leading_one(call, states[1]));
  }
  STITCH_ASSIGN(const std::vector<ValueId> results, emit_layer(call, kind, layer, x, false));
  std::vector<ValueId> outputs;
  for (size_t i = 1; i < results.size(); ++i) {
    STITCH_ASSIGN(const ValueId state, call.reshape(results[i], shape));
    outputs.push_back(state);
  }
  return outputs;
}

}  // namespace

Converted convert_lstm(Call& call) { return convert_network(call, kLstm); }
Converted convert_gru(Call& call) { return convert_network(call, kGru); }
Converted convert_rnn_tanh(Call& call) { return convert_network(call, kRnnTanh); }
Converted convert_rnn_relu(Call& call) { return convert_network(call, kRnnRelu); }
Converted convert_lstm_cell(Call& call) { return convert_cell(call, kLstm); }
Converted convert_gru_cell(Call& call) { return convert_cell(call, kGru); }
Converted convert_rnn_tanh_cell(Call& call) { return convert_cell(call, kRnnTanh); }
Converted convert_rnn_relu_cell(Call& call) { return convert_cell(call, kRnnRelu); }

}  // namespace stitch::frontend
