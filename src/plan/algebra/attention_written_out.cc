// SPDX-License-Identifier: Apache-2.0
#include "plan/algebra/attention_written_out.h"

#include <algorithm>
#include <cmath>

#include "ir/graph/op.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::ValueId;
using Shape = std::vector<int64_t>;

Shape heads_of(const Shape& shape) { return {shape.begin(), shape.end() - 2}; }

// Whether both have the same matrices, in the same order.
bool has_same_matrices(const Shape& a, const Shape& b) {
  return a.size() >= 2 && b.size() >= 2 && a[a.size() - 2] == b[b.size() - 2] && a.back() == b.back();
}

// Of a product with a number, or a quotient by one.
std::optional<double> factor_of(const ir::Node& node) {
  const bool is_product = node.op == Op::kMul;
  const ir::Scalar* scalar = std::get_if<ir::Scalar>(&node.operands[1]);
  if (scalar == nullptr || !ir::is_tensor(node.operands[0])) {
    return std::nullopt;
  }
  const double number = std::visit([](auto each) { return static_cast<double>(each); }, *scalar);
  const double factor = is_product ? number : 1.0 / number;
  const bool is_rounding_mode = !is_product && !node.attributes.empty();
  return std::isfinite(factor) && !is_rounding_mode ? std::optional(factor) : std::nullopt;
}

}  // namespace

AttentionFinder::AttentionFinder(const ir::Graph& graph) : graph_(graph), factors_(graph), uses_(graph) {}

std::optional<WrittenOut> AttentionFinder::find(const ir::Node& mixture) const {
  const ir::Node* softmax = mixture.op == Op::kMatmul ? behind_heads(only_used_producer(mixture.operands[0])) : nullptr;
  if (softmax == nullptr || softmax->op != Op::kSoftmax) {
    return std::nullopt;
  }
  const Shape& weights = shape(softmax->outputs[0]);
  const Shape& value = shape(ir::tensor_operand(mixture, 1));
  const Shape& left = shape(ir::tensor_operand(mixture, 0));
  if (ir::int_attribute(*softmax, "dim") != static_cast<int64_t>(weights.size()) - 1 || left.size() < 3 ||
      value.size() != left.size() || heads_of(value) != heads_of(left)) {
    return std::nullopt;
  }
  WrittenOut found;
  found.value = ir::tensor_operand(mixture, 1);
  return follow(softmax->operands[0], found);
}

// What makes the operand; null for an input, and for what something else reads as well.
const ir::Node* AttentionFinder::only_used_producer(const Operand& operand) const {
  if (!ir::is_tensor(operand)) {
    return nullptr;
  }
  const auto value = std::get<ValueId>(operand);
  const ir::NodeId producer = graph_.value(value).producer;
  return producer.is_valid() && uses_.of(value) == 1 ? &graph_.node(producer) : nullptr;
}

// What `node` shows with other axes for the same heads, through views that leave the order of elements; otherwise
// `node` itself.
const ir::Node* AttentionFinder::behind_heads(const ir::Node* node) const {
  const ir::Node* behind = node;
  while (behind != nullptr && keeps_order(*behind)) {
    behind = only_used_producer(behind->operands[0]);
  }
  const bool is_same = behind != nullptr && has_same_matrices(shape(node->outputs[0]), shape(behind->outputs[0]));
  return is_same ? behind : node;
}

// Whether it is a view whose elements lie in the order in which they lie in what it shows.
bool AttentionFinder::keeps_order(const ir::Node& node) const {
  if (node.op != Op::kPermute) {
    return node.op == Op::kReshape;
  }
  Shape moved = ir::ints_attribute(node, "dims");
  const Shape& extents = shape(ir::tensor_operand(node, 0));
  std::erase_if(moved, [&](int64_t axis) { return extents[static_cast<size_t>(axis)] == 1; });
  return std::is_sorted(moved.begin(), moved.end());
}

// From the softmax down to the product of queries and keys; `found` is what is done to `scores` before the softmax.
std::optional<WrittenOut> AttentionFinder::follow(const Operand& scores, WrittenOut found) const {
  const ir::Node* node = behind_heads(only_used_producer(scores));
  if (node == nullptr) {
    return std::nullopt;
  }
  switch (node->op) {
    case Op::kMul:
    case Op::kDiv:
      return follow_factor(*node, std::move(found));
    case Op::kAdd:
    case Op::kSub:
      return follow_sum(*node, std::move(found));
    case Op::kWhere:
      return follow_fill(*node, std::move(found));
    case Op::kMatmul: {
      found.query = ir::tensor_operand(*node, 0);
      found.keys = ir::tensor_operand(*node, 1);
      const Shape& query = shape(found.query);
      const Shape& keys = shape(found.keys);
      const bool has_its_heads = query.size() > 2 && keys.size() == query.size() && heads_of(keys) == heads_of(query);
      return has_its_heads ? Found(found) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

std::optional<WrittenOut> AttentionFinder::follow_factor(const ir::Node& node, WrittenOut found) const {
  const std::optional<double> factor = factor_of(node);
  if (!factor.has_value()) {
    return std::nullopt;
  }
  found.scale *= *factor;
  return follow(node.operands[0], found);
}

// What is added before a factor is multiplied by it as well. The scores are rounded sums themselves: a bias that
// cancels them is as far off either way.
std::optional<WrittenOut> AttentionFinder::follow_sum(const ir::Node& node, WrittenOut found) const {
  if (!ir::is_tensor(node.operands[0]) || !ir::is_tensor(node.operands[1]) || !takes_heads(node, found)) {
    return std::nullopt;
  }
  found.additions.push_back({{}, node.op == Op::kSub ? -found.scale : found.scale});
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const bool is_scores = shape(ir::tensor_operand(node, side)) == shape(node.outputs[0]);
    if (!is_scores || (side == 1 && node.op == Op::kSub)) {
      continue;
    }
    found.additions.back().bias = ir::tensor_operand(node, 1 - side);
    if (const Found whole = follow(node.operands[side], found)) {
      return whole;
    }
  }
  return std::nullopt;
}

std::optional<WrittenOut> AttentionFinder::follow_fill(const ir::Node& node, WrittenOut found) const {
  for (const size_t side : {size_t{1}, size_t{2}}) {
    const std::optional<double> number = number_of(node.operands[3 - side]);
    const bool is_scores =
        ir::is_tensor(node.operands[side]) && shape(ir::tensor_operand(node, side)) == shape(node.outputs[0]);
    if (!number.has_value() || !is_scores) {
      continue;
    }
    const double fill = *number * found.scale;
    if (!takes_fill(found, fill, graph_.type(node.outputs[0]).dtype) || !takes_heads(node, found)) {
      return std::nullopt;
    }
    found.fill = fill;
    found.fillings.push_back({ir::tensor_operand(node, 0), side == 2});
    return follow(node.operands[side], found);
  }
  return std::nullopt;
}

// Whether what is filled may be filled last of all: with the one number that all masks fill with, which no bias may
// change. Minus infinity stays what it is under a finite one.
bool AttentionFinder::takes_fill(const WrittenOut& found, double fill, DataType dtype) const {
  constexpr double kLargestHalf = 65504;
  const bool is_minus_infinity = std::isinf(fill) && fill < 0;
  const bool is_narrowed = dtype == DataType::kFloat16 && std::isfinite(fill) && std::fabs(fill) > kLargestHalf;
  const bool is_kept = std::all_of(found.additions.begin(), found.additions.end(), [&](const Addition& addition) {
    return is_minus_infinity && factors_.is_prepared(addition.bias);
  });
  const bool is_one = found.fillings.empty() || fill == found.fill;
  return !std::isnan(fill) && !is_narrowed && is_kept && is_one;
}

// A number, or the one that a tensor is full of.
std::optional<double> AttentionFinder::number_of(const Operand& operand) const {
  if (const ir::Scalar* scalar = std::get_if<ir::Scalar>(&operand)) {
    return std::visit([](auto each) { return static_cast<double>(each); }, *scalar);
  }
  if (!ir::is_tensor(operand)) {
    return std::nullopt;
  }
  const ir::NodeId producer = graph_.value(std::get<ValueId>(operand)).producer;
  const bool is_full = producer.is_valid() && graph_.node(producer).op == Op::kFull;
  return is_full ? std::optional(ir::double_attribute(graph_.node(producer), "value")) : std::nullopt;
}

// Whether what is laid over the result of `node` can be laid over the heads found so far.
bool AttentionFinder::takes_heads(const ir::Node& node, WrittenOut& found) const {
  const Shape& made = shape(node.outputs[0]);
  if (made.size() < 3 || (found.heads.has_value() && *found.heads != heads_of(made))) {
    return false;
  }
  found.heads = heads_of(made);
  return true;
}

}  // namespace stitch::plan
