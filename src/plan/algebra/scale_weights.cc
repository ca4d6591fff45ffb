// SPDX-License-Identifier: Apache-2.0
// An input that is scaled along the axis over which a product sums, (x d) W: the weight takes the scale, x (d W), once
// and for all where scale and weight are prepared. The input is then read by the product as it lies, and never written
// anew. Every term of a sum is rounded as often as before, and what is not finite in x stays so.
#include <algorithm>
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
using ir::ValueId;
using Shape = std::vector<int64_t>;

// A view of a tensor: how far apart its elements lie along each axis, 0 where all along it are the same one.
struct View {
  Shape shape;
  Shape strides;

  bool is_alike_along(size_t axis) const { return shape[axis] == 1 || strides[axis] == 0; }
};

// `given`, contiguous, broadcast to `shape`.
View broadcast(const Shape& given, const Shape& shape) {
  View view{shape, Shape(shape.size(), 0)};
  int64_t stride = 1;
  for (size_t last = 1; last <= given.size(); ++last) {
    const int64_t extent = given[given.size() - last];
    view.strides[shape.size() - last] = extent == 1 ? 0 : stride;
    stride *= extent;
  }
  return view;
}

View permuted(const View& view, const Shape& dims) {
  View result;
  for (const int64_t dim : dims) {
    result.shape.push_back(view.shape[static_cast<size_t>(dim)]);
    result.strides.push_back(view.strides[static_cast<size_t>(dim)]);
  }
  return result;
}

View without_ones(const View& view) {
  View result;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    if (view.shape[axis] != 1) {
      result.shape.push_back(view.shape[axis]);
      result.strides.push_back(view.strides[axis]);
    }
  }
  return result;
}

// `view` with its axes merged and split; none where what is merged does not lie in a row.
std::optional<View> reshaped(const View& view, const Shape& shape) {
  const View given = without_ones(view);
  View result{shape, Shape(shape.size(), 0)};
  size_t left = shape.size();  // axes of the result that have no stride yet
  int64_t in_row = 1;
  size_t innermost = given.shape.size() - 1;  // of the row
  for (size_t axis = given.shape.size(); axis-- > 0;) {
    in_row *= given.shape[axis];
    if (axis > 0 && given.strides[axis - 1] == given.shape[axis] * given.strides[axis]) {
      continue;
    }
    int64_t taken = 1;
    while (left > 0 && taken < in_row) {
      --left;
      result.strides[left] = given.strides[innermost] * taken;
      taken *= shape[left];
    }
    if (taken != in_row) {
      return std::nullopt;
    }
    in_row = 1;
    innermost = axis - 1;
  }
  return result;
}

std::optional<View> seen_through(const View& view, const ir::Node& node) {
  switch (node.op) {
    case Op::kPermute:
      return permuted(view, ir::ints_attribute(node, "dims"));
    case Op::kReshape:
      return reshaped(view, ir::ints_attribute(node, "shape"));
    default:
      return std::nullopt;
  }
}

struct ScaledInput {
  const ir::Node* mul;
  size_t scale_side;
  std::vector<const ir::Node*> views;  // from the scaling to the product
  View scale;                          // as the product sees it
};

class ScaledInputs {
 public:
  explicit ScaledInputs(const ir::Graph& graph) : graph_(graph), factors_(graph), uses_(graph) {}

  // What is scaled and read as operand `side` of `product`, whose weight may take the scale.
  std::optional<ScaledInput> of(const ir::Node& product, size_t side) const {
    if (!is_weighted(product, side)) {
      return std::nullopt;
    }
    std::optional<ScaledInput> found = scaling_behind(product.operands[side]);
    if (!found.has_value()) {
      return std::nullopt;
    }
    std::optional<View> scale = broadcast(scale_shape(*found), graph_.type(found->mul->outputs[0]).shape);
    for (auto node = found->views.begin(); scale.has_value() && node != found->views.end(); ++node) {
      scale = seen_through(*scale, **node);
    }
    const size_t rank = scale.has_value() ? scale->shape.size() : 0;
    const size_t kept = side == 0 ? 2 : 1;  // from the last
    if (rank < 2 || !scale->is_alike_along(rank - kept)) {
      return std::nullopt;
    }
    found->scale = std::move(*scale);
    return has_axes_of(*found, graph_.type(ir::tensor_operand(product, 1 - side)).shape) ? found : std::nullopt;
  }

 private:
  bool is_weighted(const ir::Node& product, size_t side) const {
    if ((product.op != Op::kMatmul && (product.op != Op::kLinear || side != 0)) ||
        !ir::is_tensor(product.operands[1 - side])) {
      return false;
    }
    const ValueId weight = ir::tensor_operand(product, 1 - side);
    return factors_.is_prepared(weight) && graph_.type(weight).dtype == DataType::kFloat32 &&
           graph_.type(weight).shape.size() > 1;
  }

  // The scaling of an input, seen through permutations and reshapes that nothing else reads.
  std::optional<ScaledInput> scaling_behind(const ir::Operand& operand) const {
    ScaledInput found{};
    const ir::Node* node = maker_of(graph_, operand);
    while (node != nullptr && (node->op == Op::kPermute || node->op == Op::kReshape) && is_read_once(*node)) {
      found.views.insert(found.views.begin(), node);
      node = maker_of(graph_, node->operands[0]);
    }
    if (node == nullptr || node->op != Op::kMul || !is_read_once(*node)) {
      return std::nullopt;
    }
    found.mul = node;
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const ir::Operand& scale = node->operands[side];
      const ir::Operand& scaled = node->operands[1 - side];
      const bool is_scaled = ir::is_tensor(scale) && ir::is_tensor(scaled) &&
                             graph_.type(std::get<ValueId>(scaled)) == graph_.type(node->outputs[0]) &&
                             graph_.type(std::get<ValueId>(scale)).dtype == DataType::kFloat32 &&
                             factors_.is_prepared(std::get<ValueId>(scale)) && is_input(std::get<ValueId>(scaled));
      if (is_scaled) {
        found.scale_side = side;
        return found;
      }
    }
    return std::nullopt;
  }

  // What is computed may be scaled while it is written.
  bool is_input(ValueId value) const {
    const ir::Node* node = maker_of(graph_, value);
    while (node != nullptr && (node->op == Op::kPermute || node->op == Op::kReshape || node->op == Op::kSlice)) {
      value = ir::tensor_operand(*node, 0);
      node = maker_of(graph_, value);
    }
    return node == nullptr && !factors_.is_prepared(value);
  }

  bool is_read_once(const ir::Node& node) const { return uses_.of(node.outputs[0]) == 1; }

  const Shape& scale_shape(const ScaledInput& input) const {
    return graph_.type(ir::tensor_operand(*input.mul, input.scale_side)).shape;
  }

  // The weight must not become larger by the scale's batch axes.
  static bool has_axes_of(const ScaledInput& input, const Shape& weight) {
    const size_t rank = input.scale.shape.size();
    for (size_t axis = 0; axis + 2 < rank; ++axis) {
      const size_t from_last = rank - 1 - axis;
      const bool has_axis =
          from_last < weight.size() && weight[weight.size() - 1 - from_last] == input.scale.shape[axis];
      if (!has_axis && !input.scale.is_alike_along(axis)) {
        return false;
      }
    }
    return true;
  }

  const ir::Graph& graph_;
  Factors factors_;
  UseCounts uses_;
};

class ScaledWeight {
 public:
  ScaledWeight(const ir::Graph& from, GraphCopy& copy, const ir::Node& product, size_t side, const ScaledInput& input)
      : copy_(copy),
        chain_(copy, from.value(product.outputs[0]).name, product.location),
        product_(product),
        side_(side),
        input_(input),
        shape_(from.type(input.mul->outputs[0]).shape) {}

  Result<ValueId> run() {
    ir::Node made = copy_.mapped(product_);
    const ValueId weight = ir::tensor_operand(made, 1 - side_);
    made.operands[1 - side_] = chain_.add(Op::kMul, {weight, scale()}, "_scaled_weight");
    made.operands[side_] = seen(copy_.mapped(ir::tensor_operand(*input_.mul, 1 - input_.scale_side)), "_input");
    const ValueId result = chain_.add(made.op, made.operands, "", made.attributes);
    STITCH_TRY(chain_.result());
    return result;
  }

 private:
  ValueId seen(ValueId value, const std::string& suffix) {
    for (const ir::Node* node : input_.views) {
      value = chain_.add(node->op, {value}, suffix, node->attributes);
    }
    return value;
  }

  // As wide as the weight, in its rank or less: one row of the scale along axes of the input that it is the same along.
  ValueId scale() {
    const View& view = input_.scale;
    ValueId value = copy_.mapped(ir::tensor_operand(*input_.mul, input_.scale_side));
    value = seen(chain_.add(Op::kExpand, {value}, "_scale_rows", {{"shape", shape_}}), "_scale_seen");
    const size_t rank = view.shape.size();
    const size_t summed = side_ == 0 ? rank - 1 : rank - 2;
    Shape shape;
    for (size_t axis = 0; axis < rank; ++axis) {
      const bool is_one = axis != summed && view.is_alike_along(axis);
      if (is_one && view.shape[axis] != 1) {
        value = chain_.add(
            Op::kSlice, {value}, "_scale_row",
            {{"dim", static_cast<int64_t>(axis)}, {"start", int64_t{0}}, {"end", int64_t{1}}, {"step", int64_t{1}}});
      }
      if (axis + 2 < rank && (!is_one || !shape.empty())) {
        shape.push_back(is_one ? 1 : view.shape[axis]);
      }
    }
    // The weight of a linear layer is summed along its last axis, as the input is.
    const bool is_last = product_.op == Op::kLinear || side_ == 1;
    const int64_t extent = view.shape[summed];
    shape.insert(shape.end(), {is_last ? 1 : extent, is_last ? extent : 1});
    return chain_.add(Op::kReshape, {value}, "_scale", {{"shape", shape}});
  }

  GraphCopy& copy_;
  NodeChain chain_;
  const ir::Node& product_;
  size_t side_;
  const ScaledInput& input_;
  Shape shape_;
};

}  // namespace

Result<ir::Graph> scale_weights(const ir::Graph& graph) {
  const ScaledInputs inputs(graph);
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    size_t side = 0;
    std::optional<ScaledInput> found = inputs.of(node, side);
    if (!found.has_value()) {
      found = inputs.of(node, ++side);
    }
    if (!found.has_value()) {
      STITCH_TRY(copy.keep(node));
      continue;
    }
    STITCH_ASSIGN(const ValueId made, ScaledWeight(graph, copy, node, side, *found).run());
    copy.replace(node.outputs[0], made);
  }
  return remove_dead_code(copy.finish());
}

}  // namespace stitch::plan
