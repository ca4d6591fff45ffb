// SPDX-License-Identifier: Apache-2.0
// rnn_layer(gates, hidden, weight, bias or none, then the reverse direction's gates, weight, bias or none)
// -> (output, last hidden): one layer of torch.nn.RNN after the product
// of its input by weight_ih. nonlinearity: "tanh" or "relu".
#include <cmath>

#include "ir/ops/support/recurrent.h"

namespace stitch::ir {
namespace {

constexpr RecurrentKind kKind{.gates = 1};

double tanh_unit(const std::vector<double>& x, const std::vector<double>& h, double, double&) {
  return std::tanh(x[0] + h[0]);
}

double relu_unit(const std::vector<double>& x, const std::vector<double>& h, double, double&) {
  return x[0] + h[0] < 0.0 ? 0.0 : x[0] + h[0];  // NaN stays NaN
}

Types infer(const Graph& graph, const Node& node) {
  const std::string nonlinearity = string_attribute(node, "nonlinearity");
  STITCH_TRY(require(nonlinearity == "tanh" || nonlinearity == "relu",
                     "nonlinearity is \"" + nonlinearity + "\", neither \"tanh\" nor \"relu\""));
  return infer_recurrent(graph, node, kKind);
}

}  // namespace

OpDef rnn_layer_def() {
  return {.attributes = {{"nonlinearity", AttributeKind::kString}},
          .infer = infer,
          .reference = [](const Graph& graph, const Node& node, const auto& operands) {
            const bool is_tanh = string_attribute(node, "nonlinearity") == "tanh";
            return run_recurrent(graph, node, operands, kKind, is_tanh ? tanh_unit : relu_unit);
          }};
}

}  // namespace stitch::ir
