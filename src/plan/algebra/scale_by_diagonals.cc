// SPDX-License-Identifier: Apache-2.0
// A product with a matrix that the program itself makes of a diagonal, diag(d) B or A diag(d), scales rows or columns.
// It also adds zeros times all other elements of a column or row, which is no number where one of them is infinite or
// none: what is no given weight, and hence may be so, is asked for such elements.
#include <algorithm>
#include <limits>
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

// Whether `mask` holds where row and column are the same, of n of each.
bool is_identity_mask(const ir::Graph& graph, const Operand& mask, int64_t n) {
  const ir::Node* node = maker_of(graph, mask);
  if (node == nullptr || node->op != Op::kEq) {
    return false;
  }
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const ir::Node* rows = numbering(graph, node->operands[side], 1, n);
    const ir::Node* columns = numbering(graph, node->operands[1 - side], 0, n);
    if (rows != nullptr && columns != nullptr && rows->attributes == columns->attributes) {
      return true;
    }
  }
  return false;
}

// What stands on the diagonal of `matrix`, zero elsewhere: a tensor that is alike along rows, columns or both.
std::optional<ValueId> diagonal_of(const ir::Graph& graph, const Operand& matrix) {
  const ir::Node* node = maker_of(graph, matrix);
  if (node == nullptr || node->op != Op::kWhere || !ir::is_tensor(node->operands[1]) ||
      !std::holds_alternative<Scalar>(node->operands[2])) {
    return std::nullopt;
  }
  const Shape& shape = graph.type(node->outputs[0]).shape;
  const bool is_zero_beside = std::visit([](auto each) { return each == 0; }, std::get<Scalar>(node->operands[2]));
  if (shape.size() < 2 || shape.back() != extent_from_last(shape, 1) || !is_zero_beside ||
      !is_identity_mask(graph, node->operands[0], shape.back())) {
    return std::nullopt;
  }
  const auto kept = std::get<ValueId>(node->operands[1]);
  const TensorType& type = graph.type(kept);
  const bool is_alike = extent_from_last(type.shape, 0) == 1 || extent_from_last(type.shape, 1) == 1;
  return is_alike && type.dtype == graph.type(node->outputs[0]).dtype ? std::optional(kept) : std::nullopt;
}

struct Scaling {
  ValueId diagonal;
  ValueId scaled;
  bool scales_rows = true;
};

std::optional<Scaling> scaling_of(const ir::Graph& graph, const ir::Node& node) {
  if (node.op != Op::kMatmul) {
    return std::nullopt;
  }
  for (const size_t side : {size_t{0}, size_t{1}}) {
    const ValueId scaled = ir::tensor_operand(node, 1 - side);
    const std::optional<ValueId> diagonal = diagonal_of(graph, node.operands[side]);
    if (diagonal.has_value() && graph.type(scaled).shape.size() > 1 && is_floating_point(graph.type(scaled).dtype)) {
      return Scaling{*diagonal, scaled, side == 0};
    }
  }
  return std::nullopt;
}

class ScaledProduct {
 public:
  ScaledProduct(const ir::Graph& from, GraphCopy& copy, const ir::Node& product, const Scaling& scaling)
      : from_(from),
        copy_(copy),
        chain_(copy, from.value(product.outputs[0]).name, product.location),
        scaling_(scaling),
        scaled_(copy.mapped(scaling.scaled)) {}

  Result<ValueId> run(bool may_be_odd) {
    ValueId made = chain_.add(Op::kMul, {factors(), scaled_}, may_be_odd ? "_scaled" : "");
    if (may_be_odd) {
      made = chain_.add(Op::kWhere, {meets_odd(), Scalar{std::numeric_limits<double>::quiet_NaN()}, made}, "");
    }
    STITCH_TRY(chain_.result());
    return made;
  }

 private:
  // The diagonal along the axis that it scales.
  ValueId factors() {
    const ValueId diagonal = copy_.mapped(scaling_.diagonal);
    Shape shape = from_.type(scaling_.diagonal).shape;
    shape.insert(shape.begin(), shape.size() < 2 ? 2 - shape.size() : 0, 1);
    int64_t& row = shape[shape.size() - 2];
    int64_t& column = shape.back();
    if ((scaling_.scales_rows ? column : row) == 1 && shape.size() == from_.type(scaling_.diagonal).shape.size()) {
      return diagonal;
    }
    if ((scaling_.scales_rows ? column : row) != 1) {
      std::swap(row, column);
    }
    return chain_.add(Op::kReshape, {diagonal}, "_diagonal", {{"shape", shape}});
  }

  // Where an element but the own one, of the same column or row, is infinite or no number. The two ask the same of an
  // element in two ways, lest what they share be stored: either is done while the elements are read.
  ValueId meets_odd() {
    const TensorType& type = from_.type(scaling_.scaled);
    const auto rank = static_cast<int64_t>(type.shape.size());
    const Shape axis = {scaling_.scales_rows ? rank - 2 : rank - 1};
    const ValueId counted = as_number(chain_.add(Op::kMul, {scaled_, Scalar{0.0}}, "_zeros"), "_counted");
    const ValueId count = chain_.add(Op::kSum, {counted}, "_count", {{"dim", axis}, {"keepdim", true}});
    const ValueId own = as_number(chain_.add(Op::kSub, {scaled_, scaled_}, "_own_zeros"), "_own");
    return chain_.add(Op::kGt, {count, own}, "_meets_odd");
  }

  // 1 where `zeros`, made of an element, is no zero.
  ValueId as_number(ValueId zeros, const std::string& suffix) {
    const ValueId is_odd = chain_.add(Op::kNe, {zeros, Scalar{0.0}}, suffix + "_odd");
    return chain_.add(Op::kTo, {is_odd}, suffix, {{"dtype", DataType::kFloat32}});
  }

  const ir::Graph& from_;
  GraphCopy& copy_;
  NodeChain chain_;
  Scaling scaling_;
  ValueId scaled_;
};

}  // namespace

Result<ir::Graph> scale_by_diagonals(const ir::Graph& graph) {
  GraphCopy copy(graph);
  std::optional<Factors> factors;
  for (const ir::Node& node : graph.nodes) {
    const std::optional<Scaling> scaling = scaling_of(graph, node);
    if (!scaling.has_value()) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    if (!factors.has_value()) {
      factors.emplace(graph);
    }
    STITCH_ASSIGN(const ValueId made,
                  ScaledProduct(graph, copy, node, *scaling).run(!factors->is_prepared(scaling->scaled)));
    copy.replace(node.outputs[0], made);
  }
  return copy.finish();
}

}  // namespace stitch::plan
