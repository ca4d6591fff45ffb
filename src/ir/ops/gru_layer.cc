// SPDX-License-Identifier: Apache-2.0
// gru_layer(gates, hidden, weight, bias or none, then the reverse direction's gates, weight, bias or none)
// -> (output, last hidden): one layer of torch.nn.GRU after the product
// of its input by weight_ih. Gates in PyTorch's order: reset, update, new; the reset gate scales the hidden state's
// share of the new one, bias included.
#include <cmath>

#include "ir/ops/support/recurrent.h"

namespace stitch::ir {
namespace {

constexpr RecurrentKind kKind{.gates = 3};

double logistic(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double unit(const std::vector<double>& x, const std::vector<double>& h, double hidden, double&) {
  const double candidate = std::tanh(x[2] + logistic(x[0] + h[0]) * h[2]);
  const double update = logistic(x[1] + h[1]);
  return (1.0 - update) * candidate + update * hidden;
}

}  // namespace

OpDef gru_layer_def() {
  return {.infer = [](const Graph& graph, const Node& node) { return infer_recurrent(graph, node, kKind); },
          .reference = [](const Graph& graph, const Node& node,
                          const auto& operands) { return run_recurrent(graph, node, operands, kKind, unit); }};
}

}  // namespace stitch::ir
