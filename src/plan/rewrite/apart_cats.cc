// SPDX-License-Identifier: Apache-2.0
#include "plan/rewrite/apart_cats.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "ir/ops.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

bool is_pointwise_like(const ir::Graph& graph, const ir::Node& node, ValueId operand) {
  const ir::OpDef* def = ir::find_op(node.op);
  return def != nullptr && def->family == ir::OpFamily::kPointwise && node.outputs.size() == 1 &&
         graph.type(node.outputs[0]).shape == graph.type(operand).shape;
}

bool is_cat_along(const ir::Node& node, int64_t axis) {
  return node.op == ir::Op::kCat && ir::int_attribute(node, "dim") == axis;
}

// Copying it and reading it again takes longer than what its parts cost: statistics of each are put together, and a
// launch takes so many parts. Asked of one sample, so that it holds at any batch.
bool is_large(const ir::Graph& graph, ValueId value, size_t parts) {
  constexpr int64_t kLeastBytesOfSample = int64_t{1} << 20;
  constexpr size_t kPartsOfLaunch = 8;
  const TensorType& type = graph.type(value);
  const auto launches = static_cast<int64_t>((parts + kPartsOfLaunch - 1) / kPartsOfLaunch);
  return type.shape.front() > 0 && type.bytes() / type.shape.front() >= launches * kLeastBytesOfSample;
}

}  // namespace

bool is_reduction_beside(const ir::Node& node, int64_t axis) {
  switch (node.op) {
    case ir::Op::kMean:
    case ir::Op::kSum:
    case ir::Op::kVar:
    case ir::Op::kAmax:
    case ir::Op::kAmin:
      break;
    default:
      return false;
  }
  const std::vector<int64_t>& dims = ir::ints_attribute(node, "dim");
  return std::find(dims.begin(), dims.end(), axis) == dims.end();
}

ApartCats::ApartCats(const ir::Graph& graph) {
  std::map<ValueId, std::vector<const ir::Node*>> users;
  for (const ir::Node& node : graph.nodes) {
    for (const ir::Operand& operand : node.operands) {
      if (ir::is_tensor(operand)) {
        users[std::get<ValueId>(operand)].push_back(&node);
      }
    }
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    users[output.value].push_back(nullptr);
  }
  for (const ir::Node& node : graph.nodes) {
    const int64_t axis = node.op == ir::Op::kCat ? ir::int_attribute(node, "dim") : 0;
    if (axis == 0) {
      continue;  // no concatenation, or one of whole samples
    }
    const ValueId made = node.outputs[0];
    int pointwise = 0;
    const bool may_stay_apart = std::all_of(users[made].begin(), users[made].end(), [&](const ir::Node* user) {
      if (user != nullptr && is_pointwise_like(graph, *user, made)) {
        ++pointwise;
        return pointwise == 1;
      }
      return user != nullptr && (is_cat_along(*user, axis) || is_reduction_beside(*user, axis));
    });
    std::vector<ValueId> parts;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const ValueId part = ir::tensor_operand(node, i);
      if (const auto found = parts_.find(part); found != parts_.end()) {
        parts.insert(parts.end(), found->second.begin(), found->second.end());
      } else {
        parts.push_back(part);
      }
    }
    if (may_stay_apart && pointwise == 1 && is_large(graph, made, parts.size())) {
      parts_.emplace(made, std::move(parts));
    }
  }
}

}  // namespace stitch::plan
