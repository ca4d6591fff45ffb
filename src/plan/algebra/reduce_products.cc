// SPDX-License-Identifier: Apache-2.0
// A sum over what a product makes is a product with sums: of the weight's rows, or of the image and the weight's taps.
// Where nothing else reads the product, it need not be computed at all. Scaling and adding in between may be done
// afterwards.
#include <algorithm>
#include <optional>

#include "ir/graph/op.h"
#include "plan/algebra/scaled_chain.h"
#include "plan/algebra/window_sums.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::Scalar;
using ir::ValueId;
using Shape = std::vector<int64_t>;

// One mean or sum of the old graph, worked out from what its operand is made of. Whatever is added keeps all axes.
class ProductReduction {
 public:
  ProductReduction(const Factors& factors, const UseCounts& uses, const ir::Node& reduction, GraphCopy& copy)
      : factors_(factors),
        from_(factors.graph()),
        uses_(uses),
        copy_(copy),
        reduction_(reduction),
        axes_(ir::ints_attribute(reduction, "dim")),
        chain_(copy, from_.value(reduction.outputs[0]).name, reduction.location) {}

  // Whether the operand leads to a product that it pays to leave out.
  bool applies() const {
    ValueId at = ir::tensor_operand(reduction_, 0);
    for (const ir::Node* node = only_producer(at); node != nullptr; node = only_producer(at)) {
      if (is_reducible_product(*node)) {
        return true;
      }
      const std::optional<size_t> next = followed_operand(*node, at);
      if (!next.has_value()) {
        return false;
      }
      at = ir::tensor_operand(*node, *next);
    }
    return false;
  }

  Result<ValueId> run() {
    const ValueId kept = reduced(ir::tensor_operand(reduction_, 0));
    const Shape& shape = from_.type(reduction_.outputs[0]).shape;
    const ValueId made = add(Op::kReshape, {kept}, "", {{"shape", shape}});
    STITCH_TRY(chain_.result());
    return made;
  }

 private:
  bool is_mean() const { return reduction_.op == Op::kMean; }

  ValueId add(Op op, std::vector<Operand> operands, const std::string& suffix,
              std::vector<std::pair<std::string, ir::Attribute>> attributes = {}) {
    return chain_.add(op, std::move(operands), suffix, std::move(attributes));
  }
  ValueId add_reduction(Op op, ValueId of, const Shape& axes, const std::string& suffix) {
    return add(op, {of}, suffix, {{"dim", axes}, {"keepdim", true}});
  }

  // What makes `value` for a single reader; null where that is not so.
  const ir::Node* only_producer(ValueId value) const {
    const ir::NodeId producer = from_.value(value).producer;
    return producer.is_valid() && uses_.of(value) == 1 ? &from_.node(producer) : nullptr;
  }

  // Through which operand the way goes on towards a product: of sums the one that is itself made for a single reader
  // and has the whole shape, of scaled values what is scaled alike along the axes.
  std::optional<size_t> followed_operand(const ir::Node& node, ValueId value) const {
    const bool scales = node.op == Op::kMul || node.op == Op::kDiv;
    const bool adds = node.op == Op::kAdd || node.op == Op::kSub;
    if ((!scales && !adds) || node.operands.size() != 2 || from_.type(value).dtype != DataType::kFloat32) {
      return std::nullopt;
    }
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const bool is_followed = ir::is_tensor(node.operands[side]) && (side == 0 || node.op != Op::kDiv) &&
                               from_.type(std::get<ValueId>(node.operands[side])) == from_.type(value) &&
                               only_producer(std::get<ValueId>(node.operands[side])) != nullptr;
      if (is_followed && (adds || (factors_.may_leave_sum(node, side) &&
                                   is_alike_along(from_, node.operands[1 - side], from_.type(value), axes_)))) {
        return side;
      }
    }
    return std::nullopt;
  }

  bool is_last_axis_of(const ir::Node& node) const {
    return axes_ == Shape{static_cast<int64_t>(from_.type(node.outputs[0]).shape.size()) - 1};
  }
  bool are_rows_of(const ir::Node& node) const {
    const auto last = static_cast<int64_t>(from_.type(node.outputs[0]).shape.size()) - 1;
    return !axes_.empty() && axes_.back() < last;
  }

  bool is_reducible_product(const ir::Node& node) const {
    if (from_.type(node.outputs[0]).dtype != DataType::kFloat32) {
      return false;
    }
    if (is_convolution(node.op) || is_transposed_convolution(node.op)) {
      return WindowSums(from_, node, axes_).pays();
    }
    if (node.op != Op::kLinear && node.op != Op::kMatmul) {
      return false;
    }
    const bool has_one_weight = from_.type(ir::tensor_operand(node, 1)).shape.size() == 2 &&
                                from_.type(ir::tensor_operand(node, 0)).shape.size() > 1;
    return has_one_weight && (is_last_axis_of(node) || are_rows_of(node));
  }

  ValueId reduced(ValueId value) {
    const ir::Node& node = from_.node(from_.value(value).producer);
    if (node.op == Op::kLinear || node.op == Op::kMatmul) {
      return is_last_axis_of(node) ? reduced_columns(node) : reduced_rows(node);
    }
    if (is_convolution(node.op) || is_transposed_convolution(node.op)) {
      return WindowSums(from_, node, axes_).add(copy_, chain_, is_mean());
    }
    const size_t side = *followed_operand(node, value);
    const std::string& name = from_.value(value).name;
    std::vector<Operand> operands(2);
    operands[side] = reduced(ir::tensor_operand(node, side));
    const Operand& other = node.operands[1 - side];
    const bool adds = node.op == Op::kAdd || node.op == Op::kSub;
    if (adds) {
      operands[1 - side] = reduced_term(other, from_.type(value).shape, name);
    } else {
      operands[1 - side] = ir::is_tensor(other) ? Operand{copy_.mapped(std::get<ValueId>(other))} : other;
    }
    return add(node.op, operands, "_" + name);
  }

  // What is added to each element of `shape`, seen from behind the reduction.
  Operand reduced_term(const Operand& term, const Shape& shape, const std::string& name) {
    if (!ir::is_tensor(term)) {
      return is_mean() ? term : sum_of_term(chain_, term, shape, axes_, "_" + name + "_terms");
    }
    const Shape& given = from_.type(std::get<ValueId>(term)).shape;
    Shape own(shape.size(), 1);
    std::copy(given.rbegin(), given.rend(), own.rbegin());
    const ValueId with_axes =
        add(Op::kReshape, {copy_.mapped(std::get<ValueId>(term))}, "_" + name + "_term", {{"shape", own}});
    const ValueId sums = add_reduction(reduction_.op, with_axes, axes_, "_" + name + "_term_reduced");
    Shape repeated;
    std::copy_if(axes_.begin(), axes_.end(), std::back_inserter(repeated), [&](int64_t axis) {
      return own[static_cast<size_t>(axis)] == 1 && shape[static_cast<size_t>(axis)] > 1;
    });
    return is_mean() || repeated.empty() ? Operand{sums}
                                         : sum_of_term(chain_, sums, shape, repeated, "_" + name + "_terms");
  }

  // Over the columns of x W: one row of the weight's sums for each row of x.
  ValueId reduced_columns(const ir::Node& node) {
    const ValueId x = copy_.mapped(ir::tensor_operand(node, 0));
    const ValueId weight = copy_.mapped(ir::tensor_operand(node, 1));
    const bool is_linear = node.op == Op::kLinear;
    const int64_t depth = chain_.graph().type(x).shape.back();
    const ValueId sums = add_reduction(reduction_.op, weight, {is_linear ? 0 : 1}, "_weight");
    const ValueId row = add(Op::kReshape, {sums}, "_weight_row", {{"shape", Shape{depth}}});
    const ValueId terms = add(Op::kMul, {x, row}, "_terms");
    const auto last = static_cast<int64_t>(chain_.graph().type(x).shape.size()) - 1;
    const ValueId result = add_reduction(Op::kSum, terms, {last}, "_product");
    if (!is_linear || node.operands.size() < 3 || !ir::is_tensor(node.operands[2])) {
      return result;
    }
    const ValueId bias = add_reduction(reduction_.op, copy_.mapped(ir::tensor_operand(node, 2)), {0}, "_bias");
    return add(Op::kAdd, {result, bias}, "_biased");
  }

  // Over the rows of x W: what is summed is x.
  ValueId reduced_rows(const ir::Node& node) {
    const ValueId x = add_reduction(reduction_.op, copy_.mapped(ir::tensor_operand(node, 0)), axes_, "_rows");
    std::vector<Operand> operands = {x, copy_.mapped(ir::tensor_operand(node, 1))};
    if (node.op == Op::kLinear) {
      operands.push_back(ir::Absent{});
    }
    if (node.op == Op::kLinear && node.operands.size() > 2 && ir::is_tensor(node.operands[2])) {
      const Operand bias = copy_.mapped(ir::tensor_operand(node, 2));
      operands[2] = is_mean() ? bias : sum_of_term(chain_, bias, from_.type(node.outputs[0]).shape, axes_, "_bias");
    }
    return add(node.op, operands, "_product");
  }

  const Factors& factors_;
  const ir::Graph& from_;
  const UseCounts& uses_;
  GraphCopy& copy_;
  const ir::Node& reduction_;
  Shape axes_;
  NodeChain chain_;
};

}  // namespace

Result<ir::Graph> reduce_products(const ir::Graph& graph) {
  GraphCopy copy(graph);
  const UseCounts uses(graph);
  const Factors factors(graph);
  for (const ir::Node& node : graph.nodes) {
    if (node.op == Op::kMean || node.op == Op::kSum) {
      ProductReduction reduction(factors, uses, node, copy);
      if (reduction.applies()) {
        STITCH_ASSIGN(const ValueId made, reduction.run());
        copy.replace(node.outputs[0], made);
        continue;
      }
    }
    STITCH_TRY(copy.keep(node));
  }
  return copy.finish();
}

}  // namespace stitch::plan
