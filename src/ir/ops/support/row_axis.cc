// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/row_axis.h"

#include <cmath>

#include "ir/ops/support/index.h"

namespace stitch::ir {

std::vector<ReferenceTensor> line_by_line(const Graph& graph, const Node& node, const ReferenceTensor& operand,
                                          const LineFunction& function) {
  const AxisSplit split = split_at(operand.type.shape, static_cast<size_t>(int_attribute(node, "dim")));
  std::vector<ReferenceTensor> outputs;
  std::vector<std::vector<double>> lines(node.outputs.size());
  std::vector<std::vector<double>*> results;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    outputs.push_back(make_reference(output_type(graph, node, i)));
    results.push_back(&lines[i]);
  }
  for (int64_t line = 0; line < split.outer * split.inner; ++line) {
    const int64_t outer = line / split.inner;
    const int64_t inner = line % split.inner;
    std::vector<double> elements;
    for (int64_t at = 0; at < split.extent; ++at) {
      elements.push_back(operand.data[static_cast<size_t>((outer * split.extent + at) * split.inner + inner)]);
    }
    for (std::vector<double>& result : lines) {
      result.clear();
    }
    function(node, elements, results);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const auto extent = static_cast<int64_t>(lines[i].size());
      for (int64_t at = 0; at < extent; ++at) {
        outputs[i].data[static_cast<size_t>((outer * extent + at) * split.inner + inner)] =
            lines[i][static_cast<size_t>(at)];
      }
    }
  }
  return outputs;
}

Result<const TensorType*> type_with_axis(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", x->shape.size()));
  STITCH_TRY(require(x->shape[axis] > 0, "has no element to choose from"));
  return x;
}

OpDef running(RunningRule rule, std::function<double(double, double)> join, double start) {
  OpDef def{.attributes = {{"dim", AttributeKind::kInt}}};
  def.infer = [rule](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(const TensorType* x, type_with_axis(graph, node));
    STITCH_TRY(require(x->dtype != DataType::kBool, "bool is not a type of numbers"));
    if (rule == RunningRule::kFloatingPoint) {
      STITCH_TRY(require_floating_point(x->dtype));
    }
    return std::vector<TensorType>{*x};
  };
  def.reference = [join = std::move(join), start](const Graph& graph, const Node& node, const auto& operands) {
    return line_by_line(graph, node, *operands[0], [&](const Node&, const auto& line, const auto& results) {
      double total = start;
      for (const double element : line) {
        total = join(total, element);
        results[0]->push_back(total);
      }
    });
  };
  return def;
}

OpDef running_extreme(bool is_largest) {
  OpDef def{.attributes = {{"dim", AttributeKind::kInt}}};
  def.infer = [](const Graph& graph, const Node& node) -> Types {
    STITCH_ASSIGN(const TensorType* x, type_with_axis(graph, node));
    return std::vector<TensorType>{*x, {DataType::kInt64, x->shape}};
  };
  def.reference = [is_largest](const Graph& graph, const Node& node, const auto& operands) {
    return line_by_line(graph, node, *operands[0], [&](const Node&, const auto& line, const auto& results) {
      size_t at = 0;
      for (size_t i = 0; i < line.size(); ++i) {
        const bool is_as_good = is_largest ? line[i] >= line[at] : line[i] <= line[at];
        at = std::isnan(line[i]) || is_as_good ? i : at;  // nothing compares with a NaN, so one that came before stays
        results[0]->push_back(line[at]);
        results[1]->push_back(static_cast<double>(at));
      }
    });
  };
  return def;
}

}  // namespace stitch::ir
