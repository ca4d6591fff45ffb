// SPDX-License-Identifier: Apache-2.0
#include "kernels/conv/layout.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/conv/problem.h"
#include "kernels/lowering/strided_view.h"

namespace stitch::kernels {
namespace {

// Elements from one index to the next along each axis of a contiguous tensor whose axes lie in `order` in memory.
std::vector<int64_t> strides_in(const std::vector<int64_t>& shape, const std::vector<int64_t>& order) {
  std::vector<int64_t> strides(shape.size());
  int64_t elements = 1;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    strides[static_cast<size_t>(*axis)] = elements;
    elements *= shape[static_cast<size_t>(*axis)];
  }
  return strides;
}

bool has_strides(const std::vector<int64_t>& shape, const StridedView& view, const std::vector<int64_t>& strides) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] != 1 && view.strides[axis] != strides[axis]) {
      return false;
    }
  }
  return true;
}

struct Order {
  bool is_first = false;
  bool is_last = false;
};

Order order_of(const Group& group, size_t operand) {
  const ir::ValueId value = ir::tensor_operand(group.root_node(), operand);
  const auto view = strided_view(group, value);
  if (!view.has_value()) {
    return {};
  }
  const std::vector<int64_t>& shape = group.graph->type(value).shape;
  std::vector<int64_t> first(shape.size());
  std::iota(first.begin(), first.end(), int64_t{0});
  return {has_strides(shape, *view, strides_in(shape, first)),
          has_strides(shape, *view, strides_in(shape, to_channels_last(shape.size())))};
}

bool is_permutation(const ir::Node& node, const std::vector<int64_t>& dims) {
  return node.op == ir::Op::kPermute && ir::ints_attribute(node, "dims") == dims;
}

bool has_spatial_axes(const ir::Node& node) {
  constexpr size_t kMinRank = 4, kMaxRank = 5;
  const size_t rank = node.op == ir::Op::kPermute ? ir::ints_attribute(node, "dims").size() : 0;
  return rank >= kMinRank && rank <= kMaxRank;
}

bool stores_sums_last(const Group& group) {
  const ir::Node& root = group.root_node();
  const bool has_bias = root.operands.size() > 2 && ir::is_tensor(root.operands[2]);
  if (has_bias || group.results.size() != 1 || !group.computes(group.results[0])) {
    return false;
  }
  const ir::Node& last = group.graph->node(group.graph->value(group.results[0]).producer);
  return is_to_channels_last(last) && ir::tensor_operand(last, 0) == root.outputs[0];
}

}  // namespace

ConvolutionLayout convolution_layout(const Group& group) {
  const Order input = order_of(group, 0);
  const Order weight = order_of(group, 1);
  return {input.is_first, input.is_last, weight.is_first, weight.is_last, stores_sums_last(group)};
}

bool keeps_weights(const Group& group) {
  const auto is_given = [&](size_t operand) {
    const auto view = strided_view(group, ir::tensor_operand(group.root_node(), operand));
    return view.has_value() && is_given_weight(*group.graph, view->stored);
  };
  return order_of(group, 1).is_first && is_given(1) && !is_given(0);
}

std::vector<ir::ValueId> operands_without_layout(const Group& group) {
  const ConvolutionLayout layout = convolution_layout(group);
  std::vector<ir::ValueId> missing;
  for (const auto& [operand, is_known] : {std::pair{size_t{0}, layout.input_first || layout.input_last},
                                          std::pair{size_t{1}, layout.weight_first || layout.weight_last}}) {
    if (!is_known) {
      missing.push_back(ir::tensor_operand(group.root_node(), operand));
    }
  }
  return missing;
}

std::vector<int64_t> to_channels_last(size_t rank) {
  std::vector<int64_t> dims = {0};
  for (size_t axis = 2; axis < rank; ++axis) {
    dims.push_back(static_cast<int64_t>(axis));
  }
  dims.push_back(1);
  return dims;
}

std::vector<int64_t> to_channels_first(size_t rank) {
  std::vector<int64_t> dims = {0, static_cast<int64_t>(rank) - 1};
  for (size_t axis = 1; axis + 1 < rank; ++axis) {
    dims.push_back(static_cast<int64_t>(axis));
  }
  return dims;
}

bool is_to_channels_last(const ir::Node& node) {
  return has_spatial_axes(node) && is_permutation(node, to_channels_last(ir::ints_attribute(node, "dims").size()));
}

bool is_to_channels_first(const ir::Node& node) {
  return has_spatial_axes(node) && is_permutation(node, to_channels_first(ir::ints_attribute(node, "dims").size()));
}

std::optional<ir::ValueId> kept_weight(const ir::Graph& graph, const ir::Node& convolution) {
  const auto made_by = [&](ir::ValueId value) -> const ir::Node* {
    const ir::NodeId producer = graph.value(value).producer;
    return producer.is_valid() ? &graph.node(producer) : nullptr;
  };
  const ir::Node* first = made_by(ir::tensor_operand(convolution, 1));
  if (first == nullptr || !is_to_channels_first(*first)) {
    return std::nullopt;
  }
  const ir::ValueId stored = ir::tensor_operand(*first, 0);
  const ir::Node* last = made_by(stored);
  return last != nullptr && is_to_channels_last(*last) ? std::optional(stored) : std::nullopt;
}

bool is_kept_sums(const ir::Graph& graph, const ir::Node& node) {
  if (!is_to_channels_last(node)) {
    return false;
  }
  const ir::NodeId producer = graph.value(ir::tensor_operand(node, 0)).producer;
  return producer.is_valid() && is_convolution(graph.node(producer)) &&
         kept_weight(graph, graph.node(producer)).has_value();
}

}  // namespace stitch::kernels
