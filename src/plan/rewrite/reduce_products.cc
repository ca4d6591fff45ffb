// SPDX-License-Identifier: Apache-2.0
// A sum over what a product makes is a product with sums: of the weight's rows, or of the image and the weight's taps.
// Where nothing else reads the product, it need not be computed at all. Scaling and adding in between may be done
// afterwards.
#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/graph/op.h"
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

bool is_transposed_convolution(Op op) { return op == Op::kConvTranspose2d || op == Op::kConvTranspose3d; }

// One mean or sum of the old graph, worked out from what its operand is made of. Whatever is added keeps all axes.
class ProductReduction {
 public:
  ProductReduction(const ir::Graph& from, const UseCounts& uses, const ir::Node& reduction, GraphCopy& copy)
      : from_(from),
        uses_(uses),
        copy_(copy),
        reduction_(reduction),
        axes_(ir::ints_attribute(reduction, "dim")),
        chain_(copy, from.value(reduction.outputs[0]).name, reduction.location) {}

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
  // and has the whole shape.
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
      const bool other_fits = !ir::is_tensor(node.operands[1 - side]) || adds;
      if (is_followed && other_fits) {
        return side;
      }
    }
    return std::nullopt;
  }

  bool reduces_last_axis_of(const ir::Node& node) const {
    const auto rank = static_cast<int64_t>(from_.type(node.outputs[0]).shape.size());
    return axes_ == Shape{rank - 1};
  }

  bool is_reducible_product(const ir::Node& node) const {
    if (from_.type(node.outputs[0]).dtype != DataType::kFloat32) {
      return false;
    }
    if (node.op == Op::kLinear) {
      return reduces_last_axis_of(node);
    }
    if (node.op == Op::kMatmul) {
      return reduces_last_axis_of(node) && from_.type(ir::tensor_operand(node, 1)).shape.size() == 2;
    }
    if (!is_transposed_convolution(node.op) || ir::int_attribute(node, "groups") != 1) {
      return false;
    }
    // Each stretch of taps is one more read of the image.
    constexpr size_t kMostStretches = 4;
    size_t stretches = 1;
    for (size_t axis = 0; axis + 2 < from_.type(node.outputs[0]).shape.size(); ++axis) {
      stretches *= stretches_of(node, axis).size();
    }
    return axes_ == spatial_axes(node) && stretches > 0 && stretches <= kMostStretches;
  }

  // Neighbouring taps that meet the same inputs, along one axis: those whose outputs are not cut away.
  struct Stretch {
    int64_t first_tap = 0;
    int64_t taps = 1;
    int64_t first_input = 0;
    int64_t inputs = 0;
  };

  std::vector<Stretch> stretches_of(const ir::Node& node, size_t axis) const {
    const int64_t step = ir::ints_attribute(node, "stride")[axis];
    const int64_t padding = ir::ints_attribute(node, "padding")[axis];
    const int64_t dilation = ir::ints_attribute(node, "dilation")[axis];
    const int64_t in = from_.type(ir::tensor_operand(node, 0)).shape[axis + 2];
    const int64_t out = from_.type(node.outputs[0]).shape[axis + 2];
    std::vector<Stretch> stretches;
    for (int64_t tap = 0; tap < from_.type(ir::tensor_operand(node, 1)).shape[axis + 2]; ++tap) {
      const int64_t start = tap * dilation - padding;  // the first input's output
      const int64_t first = start >= 0 ? 0 : (step - 1 - start) / step;
      const int64_t end = start >= out ? 0 : std::min(in, (out - 1 - start) / step + 1);
      const int64_t inputs = std::max<int64_t>(end - first, 0);
      if (!stretches.empty() && stretches.back().first_input == first && stretches.back().inputs == inputs) {
        ++stretches.back().taps;
      } else if (inputs > 0) {
        stretches.push_back({tap, 1, first, inputs});
      }
    }
    return stretches;
  }

  Shape spatial_axes(const ir::Node& node) const {
    Shape axes(from_.type(node.outputs[0]).shape.size() - 2);
    std::iota(axes.begin(), axes.end(), int64_t{2});
    return axes;
  }

  ValueId reduced(ValueId value) {
    const ir::Node& node = from_.node(from_.value(value).producer);
    if (node.op == Op::kLinear || node.op == Op::kMatmul) {
      return reduced_rows(node);
    }
    if (is_transposed_convolution(node.op)) {
      return reduced_planes(node);
    }
    const size_t side = *followed_operand(node, value);
    const std::string& name = from_.value(value).name;
    std::vector<Operand> operands(2);
    operands[side] = reduced(ir::tensor_operand(node, side));
    const Operand& other = node.operands[1 - side];
    const bool adds = node.op == Op::kAdd || node.op == Op::kSub;
    operands[1 - side] = adds ? reduced_term(other, from_.type(value).shape, name) : other;
    return add(node.op, operands, "_" + name);
  }

  double count_of(const Shape& shape, const Shape& own) const {
    double count = 1;
    for (const int64_t axis : axes_) {
      const auto at = static_cast<size_t>(axis);
      count *= own[at] == 1 ? static_cast<double>(shape[at]) : 1.0;
    }
    return count;
  }

  // What is added to each element of `shape`, seen from behind the reduction.
  Operand reduced_term(const Operand& term, const Shape& shape, const std::string& name) {
    if (!ir::is_tensor(term)) {
      if (is_mean()) {
        return term;
      }
      const double number = std::visit([](auto each) { return static_cast<double>(each); }, std::get<Scalar>(term));
      return Scalar{number * count_of(shape, Shape(shape.size(), 1))};
    }
    Shape own = from_.type(std::get<ValueId>(term)).shape;
    own.insert(own.begin(), shape.size() - own.size(), 1);
    const ValueId with_axes =
        add(Op::kReshape, {copy_.mapped(std::get<ValueId>(term))}, "_" + name + "_term", {{"shape", own}});
    const ValueId sums = add_reduction(reduction_.op, with_axes, axes_, "_" + name + "_term_reduced");
    const double count = count_of(shape, own);
    return is_mean() || count == 1 ? sums : add(Op::kMul, {sums, Scalar{count}}, "_" + name + "_terms");
  }

  // Over the columns of x W: one row of the weight's sums for each row of x.
  ValueId reduced_rows(const ir::Node& node) {
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

  // Over the planes of a transposed convolution: sums of the image times sums of taps.
  ValueId reduced_planes(const ir::Node& node) {
    const Shape& out = from_.type(node.outputs[0]).shape;
    double pixels = 1;
    for (size_t axis = 2; axis < out.size(); ++axis) {
      pixels *= static_cast<double>(out[axis]);
    }
    ValueId result = added_stretches(node, 0, {}, is_mean() ? 1 / pixels : 1.0);
    if (node.operands.size() > 2 && ir::is_tensor(node.operands[2])) {
      ValueId bias = copy_.mapped(ir::tensor_operand(node, 2));
      bias = is_mean() ? bias : add(Op::kMul, {bias, Scalar{pixels}}, "_bias");
      result = add(Op::kAdd, {result, bias}, "_biased");
    }
    Shape kept(out.size(), 1);
    kept[0] = out[0];
    kept[1] = out[1];
    return add(Op::kReshape, {result}, "_planes", {{"shape", kept}});
  }

  // The sum of all products whose taps lie in `chosen` along the first axes, each `share` of what it is.
  ValueId added_stretches(const ir::Node& node, size_t axis, const std::vector<Stretch>& chosen, double share) {
    if (axis + 2 == from_.type(node.outputs[0]).shape.size()) {
      return stretch_product(node, chosen, share);
    }
    ValueId total;
    for (const Stretch& stretch : stretches_of(node, axis)) {
      std::vector<Stretch> further = chosen;
      further.push_back(stretch);
      const ValueId one = added_stretches(node, axis + 1, further, share);
      total = total.index >= 0 ? add(Op::kAdd, {total, one}, "_products") : one;
    }
    return total;
  }

  ValueId stretch_product(const ir::Node& node, const std::vector<Stretch>& chosen, double share) {
    ValueId image = copy_.mapped(ir::tensor_operand(node, 0));
    ValueId weight = copy_.mapped(ir::tensor_operand(node, 1));
    for (size_t i = 0; i < chosen.size(); ++i) {
      image = sliced(image, i + 2, chosen[i].first_input, chosen[i].inputs, "_inputs");
      weight = sliced(weight, i + 2, chosen[i].first_tap, chosen[i].taps, "_stretch");
      share *= is_mean() ? static_cast<double>(chosen[i].inputs) : 1.0;
    }
    const ValueId sums = add(reduction_.op, {image}, "_image", {{"dim", spatial_axes(node)}, {"keepdim", false}});
    ValueId taps = add(Op::kSum, {weight}, "_taps", {{"dim", spatial_axes(node)}, {"keepdim", false}});
    taps = is_mean() ? add(Op::kMul, {taps, Scalar{share}}, "_share") : taps;
    return add(Op::kMatmul, {sums, taps}, "_product");
  }

  ValueId sliced(ValueId value, size_t axis, int64_t first, int64_t count, const std::string& suffix) {
    if (chain_.graph().type(value).shape[axis] == count) {
      return value;
    }
    return add(Op::kSlice, {value}, suffix,
               {{"dim", static_cast<int64_t>(axis)}, {"start", first}, {"end", first + count}, {"step", int64_t{1}}});
  }

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
  for (const ir::Node& node : graph.nodes) {
    if (node.op == Op::kMean || node.op == Op::kSum) {
      ProductReduction reduction(graph, uses, node, copy);
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
