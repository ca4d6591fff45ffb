// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "ir/graph/op.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::ValueId;

// Features of a query's head and of a value's. The fused skeleton multiplies at half the rate of products, but writes
// no scores: with more features than this products around a softmax are faster (bench/results/kernels-h200.md).
constexpr int64_t kMaxFeatures = 96;

std::map<ValueId, int> count_uses(const ir::Graph& graph) {
  std::map<ValueId, int> uses;
  for (const ir::Node& node : graph.nodes) {
    for (const ir::Operand& operand : node.operands) {
      if (ir::is_tensor(operand)) {
        ++uses[std::get<ValueId>(operand)];
      }
    }
  }
  for (const ir::GraphOutput& output : graph.outputs) {
    ++uses[output.value];
  }
  return uses;
}

// softmax(scale * query keys) value, written out. `keys` has its last two axes as the product takes them.
struct WrittenOut {
  ValueId query;
  ValueId keys;
  ValueId value;
  double scale = 1.0;
};

class Finder {
 public:
  explicit Finder(const ir::Graph& graph) : graph_(graph), uses_(count_uses(graph)) {}

  std::optional<WrittenOut> find(const ir::Node& mixture) const {
    const ir::Node* softmax = mixture.op == ir::Op::kMatmul ? only_used_producer(mixture, 0) : nullptr;
    if (softmax == nullptr || softmax->op != ir::Op::kSoftmax) {
      return std::nullopt;
    }
    const std::vector<int64_t>& weights = shape(softmax->outputs[0]);
    if (ir::int_attribute(*softmax, "dim") != static_cast<int64_t>(weights.size()) - 1) {
      return std::nullopt;
    }
    WrittenOut found;
    const ir::Node* scores = only_used_producer(*softmax, 0);
    if (const auto factor = scores == nullptr ? std::nullopt : factor_of(*scores)) {
      found.scale = *factor;
      scores = only_used_producer(*scores, 0);
    }
    if (scores == nullptr || scores->op != ir::Op::kMatmul) {
      return std::nullopt;
    }
    found.query = ir::tensor_operand(*scores, 0);
    found.keys = ir::tensor_operand(*scores, 1);
    found.value = ir::tensor_operand(mixture, 1);
    return is_taken(found) ? std::optional(found) : std::nullopt;
  }

 private:
  const std::vector<int64_t>& shape(ValueId value) const { return graph_.type(value).shape; }

  // What makes operand `i`; null for an input, and for what something else reads as well.
  const ir::Node* only_used_producer(const ir::Node& node, size_t i) const {
    if (!ir::is_tensor(node.operands[i])) {
      return nullptr;
    }
    const ValueId value = ir::tensor_operand(node, i);
    const ir::NodeId producer = graph_.value(value).producer;
    return producer.is_valid() && uses_.at(value) == 1 ? &graph_.node(producer) : nullptr;
  }

  // Of a product with a number, or a quotient by one.
  static std::optional<double> factor_of(const ir::Node& node) {
    const bool is_product = node.op == ir::Op::kMul;
    if ((!is_product && node.op != ir::Op::kDiv) || !ir::is_tensor(node.operands[0])) {
      return std::nullopt;
    }
    const ir::Scalar* scalar = std::get_if<ir::Scalar>(&node.operands[1]);
    if (scalar == nullptr) {
      return std::nullopt;
    }
    const double number = std::visit([](auto each) { return static_cast<double>(each); }, *scalar);
    const double factor = is_product ? number : 1.0 / number;
    const bool is_rounding_mode = node.op == ir::Op::kDiv && !node.attributes.empty();
    return std::isfinite(factor) && !is_rounding_mode ? std::optional(factor) : std::nullopt;
  }

  // Heads beside each other, none shared and none repeated, as the fused skeleton takes them.
  bool is_taken(const WrittenOut& found) const {
    constexpr size_t kMinAxes = 3, kMaxAxes = 4;
    const std::vector<int64_t>& query = shape(found.query);
    const std::vector<int64_t>& keys = shape(found.keys);
    const std::vector<int64_t>& value = shape(found.value);
    const auto has_its_heads = [&](const std::vector<int64_t>& other) {
      return other.size() == query.size() && std::equal(query.begin(), query.end() - 2, other.begin());
    };
    const DataType dtype = graph_.type(found.query).dtype;
    return query.size() >= kMinAxes && query.size() <= kMaxAxes && has_its_heads(keys) && has_its_heads(value) &&
           is_floating_point(dtype) && dtype != DataType::kFloat64 && query.back() + value.back() <= kMaxFeatures;
  }

  const ir::Graph& graph_;
  std::map<ValueId, int> uses_;
};

Result<void> compose_one(GraphCopy& copy, const ir::Graph& from, const ir::Node& mixture, const WrittenOut& found) {
  NodeChain chain(copy, from.value(mixture.outputs[0]).name, mixture.location);
  std::vector<int64_t> swapped(from.type(found.keys).shape.size());
  std::iota(swapped.begin(), swapped.end(), int64_t{0});
  std::swap(swapped[swapped.size() - 1], swapped[swapped.size() - 2]);
  const ValueId keys = chain.add(ir::Op::kPermute, {copy.mapped(found.keys)}, "_keys", {{"dims", swapped}});
  const ValueId composed = chain.add(ir::Op::kScaledDotProductAttention,
                                     {copy.mapped(found.query), keys, copy.mapped(found.value), ir::Absent{}}, "",
                                     {{"is_causal", false}, {"scale", found.scale}, {"enable_gqa", false}});
  copy.replace(mixture.outputs[0], composed);
  return chain.result();
}

}  // namespace

Result<ir::Graph> compose_attention(const ir::Graph& graph) {
  const Finder finder(graph);
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    if (const auto found = finder.find(node)) {
      STITCH_TRY(compose_one(copy, graph, node, *found));
    } else {
      STITCH_TRY(copy.keep(node));
    }
  }
  return copy.finish();
}

}  // namespace stitch::plan
