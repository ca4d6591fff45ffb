// SPDX-License-Identifier: Apache-2.0
// lstm_layer(gates, hidden, cell, weight, bias or none, then the reverse direction's gates, weight, bias or none)
// -> (output, last hidden, last cell): one layer of torch.nn.LSTM
// after the product of its input by weight_ih. Gates in PyTorch's order: input, forget, cell, output.
#include <cmath>

#include "ir/ops/support/recurrent.h"

namespace stitch::ir {
namespace {

constexpr RecurrentKind kKind{.gates = 4, .has_cell = true};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double unit(const std::vector<double>& x, const std::vector<double>& h, double, double& cell) {
  const double candidate = std::tanh(x[2] + h[2]);
  cell = logistic(x[1] + h[1]) * cell + logistic(x[0] + h[0]) * candidate;
  return logistic(x[3] + h[3]) * std::tanh(cell);
}

}  // namespace

OpDef lstm_layer_def() {
  return {.infer = [](const Graph& graph, const Node& node) { return infer_recurrent(graph, node, kKind); },
          .reference = [](const Graph& graph, const Node& node,
                          const auto& operands) { return run_recurrent(graph, node, operands, kKind, unit); }};
}

}  // namespace stitch::ir
