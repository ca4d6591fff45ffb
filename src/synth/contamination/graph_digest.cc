// SPDX-License-Identifier: Apache-2.0
#include "synth/contamination/graph_digest.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/hash/sha256.h"
#include "ir/graph/op.h"

namespace stitch::synth {
namespace {

using ir::Op;

bool goes_through(Op op) { return op == Op::kReshape || op == Op::kExpand || op == Op::kTo; }

bool is_symmetric(Op op) {
  return op == Op::kAdd || op == Op::kMul || op == Op::kMaximum || op == Op::kMinimum || op == Op::kEq ||
         op == Op::kNe || op == Op::kLogicalAnd || op == Op::kLogicalOr;
}

class Digests {
 public:
  explicit Digests(const ir::Graph& graph) : graph_(graph) {}

  std::string of_graph() {
    for (const ir::GraphInput& input : graph_.inputs) {
      const TensorType& type = graph_.type(input.value);
      const bool is_weight = input.role == TensorRole::kParameter || input.role == TensorRole::kConstant;
      // How a weight lies is a matter of its layout; where data come from tells programs apart.
      set(input.value, is_weight ? digest({"weight", to_string(type.dtype)})
                                 : digest({"input", to_string(type.dtype), std::to_string(type.shape.size())}));
    }
    for (const ir::Node& node : graph_.nodes) {
      add(node);
    }
    std::vector<std::string> outputs;
    for (const ir::GraphOutput& output : graph_.outputs) {
      if (output.role == TensorRole::kOutput) {
        outputs.push_back(of(output.value));
      }
    }
    std::sort(outputs.begin(), outputs.end());
    return digest(outputs);
  }

 private:
  static std::string digest(const std::vector<std::string>& parts) {
    Sha256 sha;
    for (const std::string& part : parts) {
      sha.update_field(part);
    }
    return sha.finish();
  }

  void set(ir::ValueId value, std::string text) { digests_[value.index] = std::move(text); }
  const std::string& of(ir::ValueId value) { return digests_[value.index]; }

  bool is_weight(ir::ValueId value) const {
    const ir::NodeId producer = graph_.value(value).producer;
    if (producer.is_valid()) {
      const ir::Node& node = graph_.node(producer);
      const bool is_view = goes_through(node.op) || node.op == Op::kPermute;
      return is_view && is_weight(ir::tensor_operand(node, 0));
    }
    return std::any_of(graph_.inputs.begin(), graph_.inputs.end(), [&](const ir::GraphInput& input) {
      return input.value == value && (input.role == TensorRole::kParameter || input.role == TensorRole::kConstant);
    });
  }

  // Axes from the end, so that another batch axis in front changes nothing; other attributes are sizes or constants.
  std::string attributes_of(const ir::Node& node) const {
    std::string text;
    const size_t rank = !node.operands.empty() && ir::is_tensor(node.operands[0])
                            ? graph_.type(ir::tensor_operand(node, 0)).shape.size()
                            : 0;
    for (const auto& [name, value] : node.attributes) {
      if (const auto* axes = std::get_if<std::vector<int64_t>>(&value);
          axes != nullptr && (name == "dim" || name == "dims")) {
        std::vector<int64_t> from_end;
        for (const int64_t axis : *axes) {
          from_end.push_back(axis >= 0 ? static_cast<int64_t>(rank) - axis : -axis);
        }
        if (node.op != Op::kPermute) {
          std::sort(from_end.begin(), from_end.end());
        }
        for (const int64_t axis : from_end) {
          text += fmt::format("{} ", axis);
        }
      } else if (const auto* axis = std::get_if<int64_t>(&value); axis != nullptr && name == "dim") {
        text += fmt::format("{} ", *axis >= 0 ? static_cast<int64_t>(rank) - *axis : -*axis);
      } else if (const auto* word = std::get_if<std::string>(&value); word != nullptr) {
        text += name + "=" + *word + " ";
      } else if (name == "groups") {
        text += std::get_if<int64_t>(&value) != nullptr && *std::get_if<int64_t>(&value) > 1 ? "grouped " : "";
      } else if (name == "reverse" || name == "largest" || name == "is_causal") {
        text += std::get_if<bool>(&value) != nullptr && *std::get_if<bool>(&value) ? name + " " : "";
      }
    }
    return text;
  }

  void add(const ir::Node& node) {
    if (goes_through(node.op) || (node.op == Op::kPermute && is_weight(ir::tensor_operand(node, 0)))) {
      set(node.outputs[0], of(ir::tensor_operand(node, 0)));
      return;
    }
    std::vector<std::string> operands;
    for (const ir::Operand& operand : node.operands) {
      const auto* value = std::get_if<ir::ValueId>(&operand);
      operands.push_back(value != nullptr                              ? of(*value)
                         : std::holds_alternative<ir::Absent>(operand) ? "none"
                                                                       : "number");
    }
    if (node.op == Op::kLinear) {  // a product and a sum
      set(node.outputs[0], linear(operands));
      return;
    }
    const std::string made = made_by(node, std::move(operands));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      set(node.outputs[i], i == 0 ? made : digest({made, std::to_string(i)}));
    }
  }

  std::string made_by(const ir::Node& node, std::vector<std::string> operands) const {
    if (is_symmetric(node.op)) {
      std::sort(operands.begin(), operands.end());
    }
    std::vector<std::string> parts = {to_string(node.op), attributes_of(node)};
    parts.insert(parts.end(), operands.begin(), operands.end());
    return digest(parts);
  }

  std::string linear(const std::vector<std::string>& operands) const {
    const std::string product = digest({to_string(Op::kMatmul), "", operands[0], operands[1]});
    if (operands.size() < 3 || operands[2] == "none") {
      return product;
    }
    std::vector<std::string> sum = {product, operands[2]};
    std::sort(sum.begin(), sum.end());
    return digest({to_string(Op::kAdd), "", sum[0], sum[1]});
  }

  const ir::Graph& graph_;
  std::map<int32_t, std::string> digests_;
};

}  // namespace

std::string graph_digest(const ir::Graph& graph) { return Digests(graph).of_graph(); }

}  // namespace stitch::synth
