// SPDX-License-Identifier: Apache-2.0
// A product of rows that are one in one place and zero elsewhere with a weight takes rows of that weight. An index that
// no place has makes a row of zeros. The zeros times all other rows of the weight are zeros where it is finite, as
// parameters are taken to be: what is no parameter stays a product.
#include <cmath>
#include <optional>

#include "ir/graph/op.h"
#include "plan/algebra/factors.h"
#include "plan/algebra/numbering.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::Scalar;
using ir::ValueId;
using Shape = std::vector<int64_t>;

// Where the one of each row stands: at `index` less `first`, where that is among the classes.
struct OneHots {
  ValueId index;  // with the rows' axes, and a last one of one element
  int64_t first = 0;
};

// Whether the operand is the number, or a tensor full of it.
bool is_full_of(const ir::Graph& graph, const Operand& operand, double wanted) {
  if (const Scalar* scalar = std::get_if<Scalar>(&operand)) {
    return std::visit([&](auto each) { return static_cast<double>(each) == wanted; }, *scalar);
  }
  const ir::Node* node = maker_of(graph, operand);
  while (node != nullptr && (node->op == Op::kReshape || node->op == Op::kExpand)) {
    node = maker_of(graph, node->operands[0]);
  }
  return node != nullptr && node->op == Op::kFull && ir::double_attribute(*node, "value") == wanted;
}

// Whether `index` has one index for each row of what has `shape`.
bool has_one_a_row(const ir::Graph& graph, const Operand& index, Shape shape) {
  if (!ir::is_tensor(index)) {
    return false;
  }
  const TensorType& type = graph.type(std::get<ValueId>(index));
  shape.back() = 1;
  return type.shape == shape && (type.dtype == DataType::kInt64 || type.dtype == DataType::kInt32);
}

// Indices compared with the number of each class.
std::optional<OneHots> compared(const ir::Graph& graph, const ir::Node& node) {
  const Shape& shape = graph.type(node.outputs[0]).shape;
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const ir::Node* numbers = numbering(graph, node.operands[1 - side], 0, shape.back());
    if (numbers == nullptr || !has_one_a_row(graph, node.operands[side], shape)) {
      continue;
    }
    const double start = ir::double_attribute(*numbers, "start");
    if (ir::double_attribute(*numbers, "step") == 1 && std::trunc(start) == start) {
      return OneHots{std::get<ValueId>(node.operands[side]), static_cast<int64_t>(start)};
    }
  }
  return std::nullopt;
}

// Zeros with a one sent to each row.
std::optional<OneHots> sent(const ir::Graph& graph, const ir::Node& node) {
  const Shape& shape = graph.type(node.outputs[0]).shape;
  const bool keeps_ones =
      ir::string_attribute(node, "reduce") == "none" || ir::string_attribute(node, "reduce") == "sum";
  const bool is_along_rows = ir::int_attribute(node, "dim") == static_cast<int64_t>(shape.size()) - 1;
  if (!keeps_ones || !is_along_rows || !is_full_of(graph, node.operands[0], 0) ||
      !is_full_of(graph, node.operands[2], 1) || !has_one_a_row(graph, node.operands[1], shape)) {
    return std::nullopt;
  }
  return OneHots{std::get<ValueId>(node.operands[1]), 0};
}

std::optional<OneHots> one_hots(const ir::Graph& graph, const Operand& operand) {
  const auto is_choice = [&](const ir::Node& node) {
    return node.op == Op::kWhere && is_full_of(graph, node.operands[1], 1) && is_full_of(graph, node.operands[2], 0);
  };
  const ir::Node* node = maker_of(graph, operand);
  while (node != nullptr && (node->op == Op::kTo || is_choice(*node))) {
    node = maker_of(graph, node->operands[0]);
  }
  if (node == nullptr || graph.type(node->outputs[0]).shape.empty()) {
    return std::nullopt;
  }
  return node->op == Op::kEq ? compared(graph, *node) : node->op == Op::kScatter ? sent(graph, *node) : std::nullopt;
}

class LookUp {
 public:
  LookUp(const ir::Graph& from, GraphCopy& copy, const ir::Node& product, const OneHots& rows)
      : from_(from),
        copy_(copy),
        chain_(copy, from.value(product.outputs[0]).name, product.location),
        product_(product),
        rows_(rows) {}

  Result<void> run() {
    const bool is_linear = product_.op == Op::kLinear;
    const ValueId weight = ir::tensor_operand(product_, 1);
    const int64_t classes = from_.type(weight).shape[is_linear ? 1 : 0];
    ValueId table = copy_.mapped(weight);
    if (is_linear) {
      table = chain_.add(Op::kPermute, {table}, "_table", {{"dims", Shape{1, 0}}});
    }
    ValueId index = copy_.mapped(rows_.index);
    if (rows_.first != 0) {
      index = chain_.add(Op::kSub, {index, Scalar{rows_.first}}, "_counted");
    }
    Shape shape = from_.type(rows_.index).shape;
    shape.pop_back();
    const ValueId flat = chain_.add(Op::kReshape, {index}, "_index", {{"shape", shape}});
    const ValueId within =
        chain_.add(Op::kClamp, {flat}, "_within", {{"min", 0.0}, {"max", static_cast<double>(classes - 1)}});
    const ValueId looked_up = chain_.add(Op::kEmbedding, {table, within}, "_looked_up", {{"padding_idx", int64_t{-1}}});
    const ValueId is_class = chain_.add(Op::kLogicalAnd,
                                        {chain_.add(Op::kGe, {index, Scalar{int64_t{0}}}, "_from_first"),
                                         chain_.add(Op::kLt, {index, Scalar{classes}}, "_to_last")},
                                        "_is_class");
    const bool has_bias = is_linear && ir::is_tensor(product_.operands[2]);
    ValueId made = chain_.add(Op::kWhere, {is_class, looked_up, Scalar{0.0}}, has_bias ? "_rows" : "");
    if (has_bias) {
      made = chain_.add(Op::kAdd, {made, copy_.mapped(ir::tensor_operand(product_, 2))}, "");
    }
    copy_.replace(product_.outputs[0], made);
    return chain_.result();
  }

 private:
  const ir::Graph& from_;
  GraphCopy& copy_;
  NodeChain chain_;
  const ir::Node& product_;
  OneHots rows_;
};

// The one-hot rows that `node` multiplies with a weight.
std::optional<OneHots> multiplied(const Factors& factors, const ir::Node& node) {
  const ir::Graph& graph = factors.graph();
  if (node.op != Op::kMatmul && node.op != Op::kLinear) {
    return std::nullopt;
  }
  const ValueId weight = ir::tensor_operand(node, 1);
  const bool has_weight = graph.type(weight).shape.size() == 2 && is_floating_point(graph.type(weight).dtype) &&
                          graph.type(ir::tensor_operand(node, 0)).shape.size() > 1 && factors.is_prepared(weight);
  return has_weight ? one_hots(graph, node.operands[0]) : std::nullopt;
}

}  // namespace

Result<ir::Graph> look_up_one_hots(const ir::Graph& graph) {
  const Factors factors(graph);
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    const std::optional<OneHots> rows = multiplied(factors, node);
    STITCH_TRY(rows.has_value() ? LookUp(graph, copy, node, *rows).run() : copy.keep(node));
  }
  return copy.finish();
}

}  // namespace stitch::plan
