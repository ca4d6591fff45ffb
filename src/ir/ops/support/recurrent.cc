// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/recurrent.h"

#include <fmt/format.h>

#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Result<void> require_shape(const Graph& graph, const Node& node, size_t operand, DataType dtype,
                           const std::vector<int64_t>& shape, const char* name) {
  STITCH_ASSIGN(const TensorType* type, tensor_type(graph, node, operand, dtype));
  return require(type->shape == shape,
                 fmt::format("the {} is {}, not {}", name, to_string(type->shape), to_string(shape)));
}

struct Sizes {
  size_t steps, batch, directions, units;
};

// All time steps of one direction: the state is advanced in place, each step's hidden state goes to `output`.
class Direction {
 public:
  Direction(const Sizes& sizes, const RecurrentKind& kind, size_t number)
      : sizes_(sizes), kind_(kind), number_(number) {}

  void run(const ReferenceTensor& gates, const ReferenceTensor& weight, const ReferenceTensor* bias,
           const RecurrentUnit& unit, std::vector<ReferenceTensor>& results) const {
    const auto gate_count = static_cast<size_t>(kind_.gates);
    for (size_t step = 0; step < sizes_.steps; ++step) {
      const size_t time = number_ == 0 ? step : sizes_.steps - 1 - step;
      const std::vector<double> before = results[1].data;
      for (size_t row = 0; row < sizes_.batch; ++row) {
        for (size_t u = 0; u < sizes_.units; ++u) {
          std::vector<double> from_input(gate_count);
          std::vector<double> from_hidden(gate_count);
          for (size_t gate = 0; gate < gate_count; ++gate) {
            const size_t weight_row = gate * sizes_.units + u;
            from_input[gate] = gates.data[(time * sizes_.batch + row) * gate_count * sizes_.units + weight_row];
            from_hidden[gate] = bias == nullptr ? 0.0 : bias->data[weight_row];
            for (size_t k = 0; k < sizes_.units; ++k) {
              from_hidden[gate] += weight.data[weight_row * sizes_.units + k] * before[state_index(row, k)];
            }
          }
          double unused = 0.0;
          double& cell = kind_.has_cell ? results[2].data[state_index(row, u)] : unused;
          const double hidden = unit(from_input, from_hidden, before[state_index(row, u)], cell);
          results[1].data[state_index(row, u)] = hidden;
          results[0].data[((time * sizes_.batch + row) * sizes_.directions + number_) * sizes_.units + u] = hidden;
        }
      }
    }
  }

 private:
  size_t state_index(size_t row, size_t u) const { return (number_ * sizes_.batch + row) * sizes_.units + u; }

  Sizes sizes_;
  RecurrentKind kind_;
  size_t number_;
};

}  // namespace

RecurrentOperands recurrent_operands(const RecurrentKind& kind, size_t direction) {
  const size_t first = kind.has_cell ? 3 : 2;  // after the gates and the states
  return direction == 0 ? RecurrentOperands{0, first, first + 1} : RecurrentOperands{first + 2, first + 3, first + 4};
}

Types infer_recurrent(const Graph& graph, const Node& node, const RecurrentKind& kind) {
  STITCH_ASSIGN(const TensorType* gates, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(gates->dtype));
  STITCH_ASSIGN(const TensorType* hidden, tensor_type(graph, node, 1, gates->dtype));
  STITCH_TRY(require(gates->shape.size() == 3 && hidden->shape.size() == 3,
                     "gates and hidden state need three axes each: [time, batch, gates] and [direction, batch, unit]"));
  const bool is_reversed_too = is_tensor(node.operands[recurrent_operands(kind, 1).gates]);
  const int64_t directions = is_reversed_too ? 2 : 1;
  const int64_t units = hidden->shape[2];
  STITCH_TRY(require_shape(graph, node, 1, gates->dtype, {directions, gates->shape[1], units}, "hidden state"));
  if (kind.has_cell) {
    STITCH_TRY(require_shape(graph, node, 2, gates->dtype, hidden->shape, "cell state"));
  }
  const std::vector<int64_t> gates_shape = {gates->shape[0], gates->shape[1], kind.gates * units};
  for (size_t direction = 0; direction < static_cast<size_t>(directions); ++direction) {
    const RecurrentOperands at = recurrent_operands(kind, direction);
    STITCH_TRY(require_shape(graph, node, at.gates, gates->dtype, gates_shape, "tensor of gates"));
    STITCH_TRY(require_shape(graph, node, at.weight, gates->dtype, {kind.gates * units, units}, "weight"));
    STITCH_TRY(require_vector(graph, node, at.bias, gates->dtype, kind.gates * units));
    STITCH_TRY(require(is_tensor(node.operands[at.bias]) == is_tensor(node.operands[recurrent_operands(kind, 0).bias]),
                       "has a bias in one direction alone"));
  }
  std::vector<TensorType> types = {TensorType{gates->dtype, {gates->shape[0], gates->shape[1], directions * units}},
                                   *hidden};
  if (kind.has_cell) {
    types.push_back(*hidden);
  }
  return types;
}

std::vector<ReferenceTensor> run_recurrent(const Graph& graph, const Node& node,
                                           const std::vector<const ReferenceTensor*>& operands,
                                           const RecurrentKind& kind, const RecurrentUnit& unit) {
  const std::vector<int64_t>& state = operands[1]->type.shape;
  const Sizes sizes{static_cast<size_t>(operands[0]->type.shape[0]), static_cast<size_t>(state[1]),
                    static_cast<size_t>(state[0]), static_cast<size_t>(state[2])};
  std::vector<ReferenceTensor> results = {make_reference(output_type(graph, node)), *operands[1]};
  if (kind.has_cell) {
    results.push_back(*operands[2]);
  }
  for (size_t direction = 0; direction < sizes.directions; ++direction) {
    const RecurrentOperands at = recurrent_operands(kind, direction);
    Direction(sizes, kind, direction).run(*operands[at.gates], *operands[at.weight], operands[at.bias], unit, results);
  }
  return results;
}

}  // namespace stitch::ir
