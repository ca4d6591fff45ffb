// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/reduction.h"

#include <fmt/format.h>

#include <algorithm>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

using Function = std::function<double(const Node&, std::span<const double>)>;

bool is_reduced(const Node& node, size_t axis) {
  const std::vector<int64_t>& axes = ints_attribute(node, "dim");
  return std::find(axes.begin(), axes.end(), static_cast<int64_t>(axis)) != axes.end();
}

Types infer(ReductionRule rule, const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  if (rule == ReductionRule::kFloatingPoint) {
    STITCH_TRY(require_floating_point(x->dtype));
  }
  STITCH_TRY(require(rule == ReductionRule::kAny || x->dtype != DataType::kBool, "bool is not a type of numbers"));
  int64_t previous = -1;
  for (const int64_t axis : ints_attribute(node, "dim")) {
    STITCH_TRY(require(axis > previous && axis < static_cast<int64_t>(x->shape.size()),
                       fmt::format("dim {} is not an increasing list of the {} axes",
                                   to_string(ints_attribute(node, "dim")), x->shape.size())));
    previous = axis;
  }
  TensorType result{x->dtype, {}};
  for (size_t axis = 0; axis < x->shape.size(); ++axis) {
    if (!is_reduced(node, axis)) {
      result.shape.push_back(x->shape[axis]);
    } else if (bool_attribute(node, "keepdim")) {
      result.shape.push_back(1);
    }
  }
  return std::vector<TensorType>{result};
}

std::vector<ReferenceTensor> reference(const Function& function, const Graph& graph, const Node& node,
                                       const ReferenceTensor& x) {
  ReferenceTensor result = make_reference(output_type(graph, node));
  std::vector<std::vector<double>> gathered(result.data.size());
  for (size_t i = 0; i < x.data.size(); ++i) {
    const Position position = position_of(static_cast<int64_t>(i), x.type.shape);
    int64_t target = 0;
    for (size_t axis = 0; axis < position.size(); ++axis) {
      if (!is_reduced(node, axis)) {
        target = target * x.type.shape[axis] + position[axis];
      }
    }
    gathered[static_cast<size_t>(target)].push_back(x.data[i]);
  }
  for (size_t i = 0; i < gathered.size(); ++i) {
    result.data[i] = function(node, gathered[i]);
  }
  return {result};
}

}  // namespace

OpDef reduction(ReductionRule rule, std::vector<AttributeDef> more_attributes, Function function) {
  OpDef def;
  def.attributes = {{"dim", AttributeKind::kInts}, {"keepdim", AttributeKind::kBool}};
  def.attributes.insert(def.attributes.begin() + 1, more_attributes.begin(), more_attributes.end());
  def.infer = [rule](const Graph& graph, const Node& node) { return infer(rule, graph, node); };
  def.reference = [function = std::move(function)](const Graph& graph, const Node& node, const auto& operands) {
    return reference(function, graph, node, *operands[0]);
  };
  return def;
}

OpDef reduction_of_some(ReductionRule rule, Function function) {
  OpDef def = reduction(rule, {}, std::move(function));
  def.infer = [rule](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(std::vector<TensorType> types, infer(rule, graph, node));
    const TensorType& x = graph.type(tensor_operand(node, 0));
    STITCH_TRY(require(x.element_count() > 0 || types[0].element_count() == 0, "has no element to choose from"));
    return types;
  };
  return def;
}

}  // namespace stitch::ir
