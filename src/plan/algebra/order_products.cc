// SPDX-License-Identifier: Apache-2.0
// Products of one operand with two weights, one after the other: x (A B) or (x A) B, as fewer operations have it. Their
// rounding errors have one bound, and what is not finite makes the same rows so. A weight of low rank stays
// in two parts, or becomes so; of others the product is prepared, with the bias that goes through it.
#include <optional>

#include "ir/graph/op.h"
#include "plan/algebra/factors.h"
#include "plan/algebra/numbering.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::ValueId;
using Shape = std::vector<int64_t>;

// What one launch more, of a narrow product, takes: as many operations of a wide one.
constexpr double kOperationsOfLaunch = 1 << 28;

bool is_product(const ir::Node& node) { return node.op == Op::kMatmul || node.op == Op::kLinear; }

bool has_bias(const ir::Node& product) { return product.op == Op::kLinear && ir::is_tensor(product.operands[2]); }

double as_double(int64_t number) { return static_cast<double>(number); }

// A product of rows with a weight that is prepared, as [inputs] -> [outputs] of it.
struct Weighted {
  const ir::Node* node;
  int64_t inputs;
  int64_t outputs;
};

class ProductOrders {
 public:
  explicit ProductOrders(const ir::Graph& graph) : graph_(graph), factors_(graph), uses_(graph) {}

  std::optional<Weighted> weighted(const ir::Node& node) const {
    if (!is_product(node)) {
      return std::nullopt;
    }
    const ValueId weight = ir::tensor_operand(node, 1);
    const Shape& shape = graph_.type(weight).shape;
    const ValueId x = ir::tensor_operand(node, 0);
    // Weights of 16 bits would be rounded once more, and small ones vanish.
    const bool has_weight = shape.size() == 2 && graph_.type(weight).dtype == DataType::kFloat32 &&
                            graph_.type(x).shape.size() > 1 && factors_.is_prepared(weight) && !factors_.is_prepared(x);
    if (!has_weight) {
      return std::nullopt;
    }
    const bool is_linear = node.op == Op::kLinear;
    return Weighted{&node, shape[is_linear ? 1 : 0], shape[is_linear ? 0 : 1]};
  }

  // The product whose result alone `outer` takes, where its weight and that of `outer` are better multiplied first.
  std::optional<Weighted> joined_with(const Weighted& outer) const {
    const ir::Node* maker = maker_of(graph_, outer.node->operands[0]);
    if (maker == nullptr || uses_.of(maker->outputs[0]) != 1) {
      return std::nullopt;
    }
    const std::optional<Weighted> inner = weighted(*maker);
    const bool is_joinable =
        inner.has_value() && (!has_bias(*maker) || factors_.is_prepared(ir::tensor_operand(*maker, 2)));
    const bool is_less =
        is_joinable && inner->inputs * outer.outputs <= inner->outputs * (inner->inputs + outer.outputs);
    return is_less ? inner : std::nullopt;
  }

  // The product that makes the weight of `product` alone, where its parts are better multiplied one after the other.
  const ir::Node* parts_of(const Weighted& product) const {
    const ir::Node* maker = maker_of(graph_, product.node->operands[1]);
    if (maker == nullptr || maker->op != Op::kMatmul || uses_.of(maker->outputs[0]) != 1 ||
        graph_.type(ir::tensor_operand(*maker, 0)).shape.size() != 2 ||
        graph_.type(ir::tensor_operand(*maker, 1)).shape.size() != 2) {
      return nullptr;
    }
    const int64_t rank = graph_.type(ir::tensor_operand(*maker, 0)).shape.back();
    const auto rows = static_cast<double>(graph_.type(product.node->outputs[0]).element_count() / product.outputs);
    const double saved =
        as_double(product.inputs * product.outputs) - as_double(rank * (product.inputs + product.outputs));
    return 2 * rows * saved > kOperationsOfLaunch ? maker : nullptr;
  }

 private:
  const ir::Graph& graph_;
  Factors factors_;
  UseCounts uses_;
};

class Reordering {
 public:
  explicit Reordering(const ir::Graph& from) : from_(from), copy_(from), orders_(from) {}

  // The graph with some of its products in another order; none where all are as they should be.
  Result<std::optional<ir::Graph>> run() {
    bool is_changed = false;
    for (const ir::Node& node : from_.nodes) {
      const std::optional<Weighted> product = orders_.weighted(node);
      // What a product is made of is looked up in the old graph: it must not have changed itself.
      const std::optional<Weighted> inner =
          product.has_value() && !is_changed ? orders_.joined_with(*product) : std::nullopt;
      const ir::Node* parts = product.has_value() && !is_changed ? orders_.parts_of(*product) : nullptr;
      if (inner.has_value()) {
        STITCH_TRY(join(*inner->node, node));
      } else if (parts != nullptr) {
        STITCH_TRY(part(*parts, node));
      } else {
        STITCH_TRY(copy_.keep(node));
      }
      is_changed = is_changed || inner.has_value() || parts != nullptr;
    }
    return is_changed ? std::optional(copy_.finish()) : std::nullopt;
  }

 private:
  NodeChain chain_of(const ir::Node& node) { return {copy_, from_.value(node.outputs[0]).name, node.location}; }

  // The weight as [outputs, inputs].
  ValueId turned_weight(NodeChain& chain, const ir::Node& product, const char* suffix) {
    const ValueId weight = copy_.mapped(ir::tensor_operand(product, 1));
    return product.op == Op::kLinear ? weight : chain.add(Op::kPermute, {weight}, suffix, {{"dims", Shape{1, 0}}});
  }

  Result<void> join(const ir::Node& inner, const ir::Node& outer) {
    NodeChain chain = chain_of(outer);
    const ValueId x = copy_.mapped(ir::tensor_operand(inner, 0));
    ValueId made;
    if (inner.op == Op::kMatmul && outer.op == Op::kMatmul) {
      const ValueId weight = chain.add(
          Op::kMatmul, {copy_.mapped(ir::tensor_operand(inner, 1)), copy_.mapped(ir::tensor_operand(outer, 1))},
          "_weight");
      made = chain.add(Op::kMatmul, {x, weight}, "");
    } else {
      const ValueId last = turned_weight(chain, outer, "_last");
      const ValueId weight = chain.add(Op::kMatmul, {last, turned_weight(chain, inner, "_first")}, "_weight");
      made = chain.add(Op::kLinear, {x, weight, joined_bias(chain, inner, outer, last)}, "");
    }
    copy_.replace(outer.outputs[0], made);
    return chain.result();
  }

  Operand joined_bias(NodeChain& chain, const ir::Node& inner, const ir::Node& outer, ValueId last) {
    const Operand own = has_bias(outer) ? Operand{copy_.mapped(ir::tensor_operand(outer, 2))} : Operand{ir::Absent{}};
    if (!has_bias(inner)) {
      return own;
    }
    const ValueId bias = ir::tensor_operand(inner, 2);
    const ValueId row = chain.add(Op::kReshape, {copy_.mapped(bias)}, "_bias_row",
                                  {{"shape", Shape{1, from_.type(bias).shape.back()}}});
    const ValueId through = chain.add(Op::kLinear, {row, last, own}, "_bias_through");
    return chain.add(Op::kReshape, {through}, "_bias", {{"shape", Shape{from_.type(outer.outputs[0]).shape.back()}}});
  }

  Result<void> part(const ir::Node& weight, const ir::Node& product) {
    NodeChain chain = chain_of(product);
    const bool is_linear = product.op == Op::kLinear;
    const ValueId x = copy_.mapped(ir::tensor_operand(product, 0));
    const ValueId first = copy_.mapped(ir::tensor_operand(weight, is_linear ? 1 : 0));
    const ValueId second = copy_.mapped(ir::tensor_operand(weight, is_linear ? 0 : 1));
    std::vector<Operand> operands = {x, first};
    if (is_linear) {
      operands.emplace_back(ir::Absent{});
    }
    operands[0] = chain.add(product.op, operands, "_part");
    operands[1] = second;
    if (is_linear) {
      operands[2] = has_bias(product) ? Operand{copy_.mapped(ir::tensor_operand(product, 2))} : Operand{ir::Absent{}};
    }
    copy_.replace(product.outputs[0], chain.add(product.op, operands, ""));
    return chain.result();
  }

  const ir::Graph& from_;
  GraphCopy copy_;
  ProductOrders orders_;
};

}  // namespace

Result<ir::Graph> order_products(const ir::Graph& graph) {
  ir::Graph result = graph;
  for (;;) {
    // Each turn leaves fewer operations, so there is a last one.
    STITCH_ASSIGN(std::optional<ir::Graph> next, Reordering(result).run());
    if (!next.has_value()) {
      return result;
    }
    STITCH_ASSIGN(result, remove_dead_code(*next));
  }
}

}  // namespace stitch::plan
