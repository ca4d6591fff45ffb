// SPDX-License-Identifier: Apache-2.0
#include "plan/layout/forms.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "ir/ops.h"
#include "kernels/conv/problem.h"
#include "kernels/group/group.h"

namespace stitch::plan {
namespace {

bool has_ints(const ir::Node& node, std::string_view name) {
  return std::any_of(node.attributes.begin(), node.attributes.end(), [&](const auto& attribute) {
    return attribute.first == name && std::holds_alternative<std::vector<int64_t>>(attribute.second);
  });
}

bool is_flat_window(const ir::Node& node) {
  return (node.op == ir::Op::kMaxPool2d || node.op == ir::Op::kAvgPool2d) && node.outputs.size() == 1;
}

bool is_pointwise(const ir::Node& node) {
  return ir::find_op(node.op)->family == ir::OpFamily::kPointwise && !kernels::is_random(node) &&
         node.outputs.size() == 1;
}

}  // namespace

LastForm last_form(const ir::Graph& graph, const ir::Node& node) {
  if (node.outputs.empty() || node.operands.empty() || node.op == ir::Op::kOpaque) {
    return LastForm::kNone;
  }
  const bool makes_channels = has_channels(graph.type(node.outputs[0]));
  if (kernels::is_convolution(node)) {
    return LastForm::kConvolution;
  }
  if (is_pointwise(node)) {
    return makes_channels ? LastForm::kElementwise : LastForm::kNone;
  }
  const ir::OpDef* def = ir::find_op(node.op);
  if (is_flat_window(node)) {
    constexpr size_t kRank = 4;
    return graph.type(node.outputs[0]).shape.size() == kRank ? LastForm::kPool : LastForm::kNone;
  }
  if (def->family == ir::OpFamily::kReduction && has_ints(node, "dim") && node.outputs.size() == 1) {
    return LastForm::kReduction;
  }
  if (def->family == ir::OpFamily::kSoftmax) {
    return makes_channels ? LastForm::kSoftmax : LastForm::kNone;
  }
  return node.op == ir::Op::kCat && makes_channels ? LastForm::kCat : LastForm::kNone;
}

bool has_channels(const TensorType& type) {
  constexpr size_t kMinRank = 4, kMaxRank = 5;
  return type.shape.size() >= kMinRank && type.shape.size() <= kMaxRank;
}

int64_t last_axis(int64_t axis, size_t rank) {
  if (axis == 0) {
    return 0;
  }
  return axis == 1 ? static_cast<int64_t>(rank) - 1 : axis - 1;
}

bool is_small_beside(const TensorType& operand, const TensorType& result) {
  constexpr int64_t kTimes = 16;
  return operand.element_count() * kTimes <= result.element_count() || operand.element_count() == 1;
}

}  // namespace stitch::plan
