// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "ir/graph/op.h"
#include "plan/rewrite/graph_copy.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

bool is_number(const ir::Operand& operand, double wanted) {
  const ir::Scalar* scalar = std::get_if<ir::Scalar>(&operand);
  return scalar != nullptr && std::visit([](auto number) { return static_cast<double>(number); }, *scalar) == wanted;
}

// The operand that a pointwise node hands on unchanged.
std::optional<ir::ValueId> unchanged_operand(const ir::Node& node) {
  const auto other = [&](size_t i) -> std::optional<ir::ValueId> {
    return ir::is_tensor(node.operands[i]) ? std::optional(std::get<ir::ValueId>(node.operands[i])) : std::nullopt;
  };
  if (node.op == ir::Op::kMul || node.op == ir::Op::kDiv || node.op == ir::Op::kPow) {
    if (is_number(node.operands[1], 1.0)) {
      return other(0);
    }
    return node.op == ir::Op::kMul && is_number(node.operands[0], 1.0) ? other(1) : std::nullopt;
  }
  if (node.op == ir::Op::kAdd || node.op == ir::Op::kSub) {
    if (is_number(node.operands[1], 0.0)) {
      return other(0);
    }
    return node.op == ir::Op::kAdd && is_number(node.operands[0], 0.0) ? other(1) : std::nullopt;
  }
  const bool may_keep_all =
      node.op == ir::Op::kTo || node.op == ir::Op::kReshape || node.op == ir::Op::kExpand || node.op == ir::Op::kSlice;
  return may_keep_all ? other(0) : std::nullopt;
}

bool is_identity_order(const std::vector<int64_t>& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<int64_t>(i)) {
      return false;
    }
  }
  return true;
}

// reshape(reshape(x)) reads x; permute(permute(x)) is one order.
ir::Node merged_view(const ir::Graph& graph, ir::Node node) {
  const ir::NodeId producer = graph.value(ir::tensor_operand(node, 0)).producer;
  if (!producer.is_valid() || graph.node(producer).op != node.op) {
    return node;
  }
  const ir::Node& inner = graph.node(producer);
  if (node.op == ir::Op::kPermute) {
    std::vector<int64_t> dims;
    for (const int64_t axis : ir::ints_attribute(node, "dims")) {
      dims.push_back(ir::ints_attribute(inner, "dims")[static_cast<size_t>(axis)]);
    }
    node.attributes = {{"dims", dims}};
  }
  node.operands[0] = inner.operands[0];
  return node;
}

// A reduction over axes of one element hands that on.
bool reduces_nothing(const ir::Graph& graph, const ir::Node& node, const TensorType& made) {
  const bool keeps_one = node.op == ir::Op::kSum || node.op == ir::Op::kMean || node.op == ir::Op::kAmax ||
                         node.op == ir::Op::kAmin || node.op == ir::Op::kLogsumexp;
  if (!keeps_one) {
    return false;
  }
  const TensorType& type = graph.type(ir::tensor_operand(node, 0));
  return is_floating_point(type.dtype) && type.element_count() == made.element_count();
}

// Average pooling of whole planes is a mean, which a reduction computes with more parallelism.
bool pools_whole_planes(const ir::Node& node) {
  if (node.op != ir::Op::kAdaptiveAvgPool2d && node.op != ir::Op::kAdaptiveAvgPool3d) {
    return false;
  }
  const std::vector<int64_t>& size = ir::ints_attribute(node, "output_size");
  return std::all_of(size.begin(), size.end(), [](int64_t extent) { return extent == 1; });
}

ir::Node mean_for_pool(const ir::Graph& graph, const ir::Node& node) {
  const auto rank = static_cast<int64_t>(graph.type(ir::tensor_operand(node, 0)).shape.size());
  std::vector<int64_t> axes;
  for (size_t i = ir::ints_attribute(node, "output_size").size(); i > 0; --i) {
    axes.push_back(rank - static_cast<int64_t>(i));
  }
  return {ir::Op::kMean, node.operands, {{"dim", axes}, {"keepdim", true}}, {}, node.location};
}

Result<void> simplify(GraphCopy& copy, const ir::Graph& from, const ir::Node& old) {
  ir::Node node = copy.mapped(old);
  const TensorType& type = from.type(old.outputs[0]);
  if (pools_whole_planes(node)) {
    node = mean_for_pool(copy.graph(), node);
  }
  if (reduces_nothing(copy.graph(), node, type)) {
    node = {ir::Op::kReshape, {node.operands[0]}, {{"shape", type.shape}}, {}, node.location};
  }
  if (node.op == ir::Op::kReshape || node.op == ir::Op::kPermute) {
    node = merged_view(copy.graph(), std::move(node));
  }
  if (node.op == ir::Op::kPermute && is_identity_order(ir::ints_attribute(node, "dims"))) {
    copy.replace(old.outputs[0], ir::tensor_operand(node, 0));
    return {};
  }
  if (const auto operand = unchanged_operand(node); operand.has_value() && copy.graph().type(*operand) == type) {
    copy.replace(old.outputs[0], *operand);
    return {};
  }
  if (old.outputs.size() > 1) {
    return copy.keep(old);
  }
  STITCH_ASSIGN(const ir::ValueId now, copy.add(std::move(node), from.value(old.outputs[0]).name));
  copy.replace(old.outputs[0], now);
  return {};
}

}  // namespace

Result<ir::Graph> simplify_identities(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    STITCH_TRY(simplify(copy, graph, node));
  }
  return copy.finish();
}

}  // namespace stitch::plan
