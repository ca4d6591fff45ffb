// SPDX-License-Identifier: Apache-2.0
// An average pool of what a product or convolution makes is linear as well: it is a product of pooled pixels where that
// looks at single ones, a convolution with a pooled weight and longer steps else, and a product with a pooled weight.
// All of them compute fewer outputs.
#include <algorithm>
#include <functional>
#include <numeric>

#include "ir/graph/op.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"
#include "plan/rewrite/use_counts.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::ValueId;
using Shape = std::vector<int64_t>;
using Attributes = std::vector<std::pair<std::string, ir::Attribute>>;

bool are(const Shape& numbers, int64_t wanted) {
  return std::all_of(numbers.begin(), numbers.end(), [&](int64_t number) { return number == wanted; });
}

int64_t count_of(const Shape& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), int64_t{1}, std::multiplies<>());
}

Attributes pool_attributes(const Shape& kernel, const Shape& stride) {
  return {{"kernel_size", kernel}, {"stride", stride},          {"padding", Shape(kernel.size(), 0)},
          {"ceil_mode", false},    {"count_include_pad", true}, {"divisor_override", int64_t{0}}};
}

// An average pool of the old graph all of whose windows lie inside of what it reads.
struct Pool {
  const ir::Node& node;
  Shape kernel;
  Shape stride;
};

bool is_plain(const ir::Graph& graph, const ir::Node& node) {
  if ((node.op != Op::kAvgPool2d && node.op != Op::kAvgPool3d) || ir::int_attribute(node, "divisor_override") != 0 ||
      !are(ir::ints_attribute(node, "padding"), 0) || graph.type(node.outputs[0]).dtype != DataType::kFloat32) {
    return false;
  }
  const Shape& kernel = ir::ints_attribute(node, "kernel_size");
  const Shape& stride = ir::ints_attribute(node, "stride");
  const Shape& in = graph.type(ir::tensor_operand(node, 0)).shape;
  const Shape& out = graph.type(node.outputs[0]).shape;
  for (size_t i = 0; i < kernel.size(); ++i) {
    const size_t axis = in.size() - kernel.size() + i;
    if ((out[axis] - 1) * stride[i] + kernel[i] > in[axis]) {
      return false;
    }
  }
  return true;
}

class PoolOfProduct {
 public:
  PoolOfProduct(const ir::Graph& from, const UseCounts& uses, const ir::Node& node, GraphCopy& copy)
      : from_(from),
        uses_(uses),
        copy_(copy),
        pool_{node, ir::ints_attribute(node, "kernel_size"), ir::ints_attribute(node, "stride")},
        chain_(copy, from.value(node.outputs[0]).name, node.location) {}

  // The value that takes the place of the pool's; none where it stays.
  Result<std::optional<ValueId>> run() {
    std::vector<const ir::Node*> between;  // the pool, and then its operand's producer...
    const ir::Node* made_by = only_producer(ir::tensor_operand(pool_.node, 0));
    for (std::optional<size_t> side = followed(made_by); side.has_value(); side = followed(made_by)) {
      between.push_back(made_by);
      made_by = only_producer(ir::tensor_operand(*made_by, *side));
    }
    std::optional<ValueId> made = made_by != nullptr ? pooled_product(*made_by) : std::nullopt;
    for (auto node = between.rbegin(); made.has_value() && node != between.rend(); ++node) {
      std::vector<Operand> operands = copy_.mapped(**node).operands;
      operands[*followed(*node)] = *made;
      made = chain_.add((*node)->op, operands, "_" + from_.value((*node)->outputs[0]).name);
    }
    STITCH_TRY(chain_.result());
    return made;
  }

 private:
  const ir::Node* only_producer(ValueId value) const {
    const ir::NodeId producer = from_.value(value).producer;
    return producer.is_valid() && uses_.of(value) == 1 ? &from_.node(producer) : nullptr;
  }

  // The operand that scaling and adding of what is the same in a whole window leads on to.
  std::optional<size_t> followed(const ir::Node* node) const {
    const bool scales = node != nullptr && (node->op == Op::kMul || node->op == Op::kDiv);
    const bool adds = node != nullptr && (node->op == Op::kAdd || node->op == Op::kSub);
    if ((!scales && !adds) || node->operands.size() != 2) {
      return std::nullopt;
    }
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const bool is_whole = ir::is_tensor(node->operands[side]) && (side == 0 || node->op != Op::kDiv) &&
                            from_.type(std::get<ValueId>(node->operands[side])) == from_.type(node->outputs[0]);
      if (is_whole && is_same_in_windows(node->operands[1 - side])) {
        return side;
      }
    }
    return std::nullopt;
  }

  bool is_same_in_windows(const Operand& operand) const {
    if (!ir::is_tensor(operand)) {
      return true;
    }
    const Shape& shape = from_.type(std::get<ValueId>(operand)).shape;
    const size_t pooled_axes = std::min(shape.size(), pool_.kernel.size());
    return are(Shape(shape.end() - static_cast<int64_t>(pooled_axes), shape.end()), 1);
  }

  std::optional<ValueId> pooled_product(const ir::Node& node) {
    switch (node.op) {
      case Op::kConv2d:
      case Op::kConv3d:
        return of_convolution(node);
      case Op::kConvTranspose2d:
      case Op::kConvTranspose3d:
        return of_transposed(node);
      case Op::kAvgPool2d:
      case Op::kAvgPool3d:
        return of_pool(node);
      default:
        return of_linear(&node);
    }
  }

  // Windows of windows side by side are larger windows, unless the inner ones have become part of a product.
  std::optional<ValueId> of_pool(const ir::Node& inner) {
    const Shape& kernel = ir::ints_attribute(inner, "kernel_size");
    const ir::NodeId kept = copy_.graph().value(copy_.mapped(inner.outputs[0])).producer;
    if (inner.op != pool_.node.op || copy_.graph().node(kept).op != inner.op || !is_plain(from_, inner) ||
        kernel != ir::ints_attribute(inner, "stride")) {
      return std::nullopt;
    }
    Shape wider = pool_.kernel, steps = pool_.stride;
    for (size_t i = 0; i < kernel.size(); ++i) {
      wider[i] *= kernel[i];
      steps[i] *= kernel[i];
    }
    return chain_.add(inner.op, {copy_.mapped(ir::tensor_operand(inner, 0))}, "_wider", pool_attributes(wider, steps));
  }

  std::optional<ValueId> of_convolution(const ir::Node& convolution) {
    const Shape& weight = from_.type(ir::tensor_operand(convolution, 1)).shape;
    const Shape taps(weight.begin() + 2, weight.end());
    if (taps.size() != pool_.kernel.size() || !are(ir::ints_attribute(convolution, "stride"), 1)) {
      return std::nullopt;
    }
    if (are(taps, 1)) {
      const bool is_product =
          are(ir::ints_attribute(convolution, "padding"), 0) && ir::int_attribute(convolution, "groups") == 1;
      return is_product ? std::optional(of_pixels(convolution)) : std::nullopt;
    }
    Shape wider = taps;
    for (size_t i = 0; i < taps.size(); ++i) {
      wider[i] += pool_.kernel[i] - 1;
    }
    constexpr double kWorth = 0.7;  // of the multiplications
    const double before = static_cast<double>(count_of(taps)) * static_cast<double>(count_of(pool_.stride));
    const bool pays = static_cast<double>(count_of(wider)) <= kWorth * before;
    return pays && are(ir::ints_attribute(convolution, "dilation"), 1) ? std::optional(with_steps(convolution))
                                                                       : std::nullopt;
  }

  // Pixels are pooled before they are multiplied. As a product, which keeps its operands: rounded after pooling they
  // would be as wrong as each was before it.
  ValueId of_pixels(const ir::Node& convolution) {
    const ir::Node mapped = copy_.mapped(convolution);
    const Shape out = from_.type(pool_.node.outputs[0]).shape;
    const Shape& weight = from_.type(ir::tensor_operand(convolution, 1)).shape;
    const int64_t pixels = count_of(Shape(out.begin() + 2, out.end()));
    const ValueId image = chain_.add(pool_.node.op, {mapped.operands[0]}, "_image", pool_.node.attributes);
    const ValueId columns =
        chain_.add(Op::kReshape, {image}, "_columns", {{"shape", Shape{out[0], weight[1], pixels}}});
    const ValueId rows =
        chain_.add(Op::kReshape, {mapped.operands[1]}, "_rows", {{"shape", Shape{weight[0], weight[1]}}});
    ValueId made = chain_.add(Op::kMatmul, {rows, columns}, "_product");
    if (mapped.operands.size() > 2 && ir::is_tensor(mapped.operands[2])) {
      const ValueId bias = chain_.add(Op::kReshape, {mapped.operands[2]}, "_bias", {{"shape", Shape{weight[0], 1}}});
      made = chain_.add(Op::kAdd, {made, bias}, "_biased");
    }
    return chain_.add(Op::kReshape, {made}, "", {{"shape", out}});
  }

  // The weight is averaged over the places that it has in a window, and goes from window to window.
  ValueId with_steps(const ir::Node& convolution) {
    ir::Node mapped = copy_.mapped(convolution);
    Shape around(2, 0);
    for (const int64_t extent : pool_.kernel) {
      around.push_back(extent - 1);
    }
    const ValueId padded =
        chain_.add(Op::kPad, {mapped.operands[1]}, "_weight_padded",
                   {{"before", around}, {"after", around}, {"mode", std::string("constant")}, {"value", 0.0}});
    mapped.operands[1] =
        chain_.add(pool_.node.op, {padded}, "_weight", pool_attributes(pool_.kernel, Shape(pool_.kernel.size(), 1)));
    for (auto& [name, attribute] : mapped.attributes) {
      if (name == "stride") {
        attribute = pool_.stride;
      }
    }
    return chain_.add(mapped.op, mapped.operands, "", mapped.attributes);
  }

  // One axis of a transposed convolution whose outputs are pooled by as many as its stride makes of an input: input j +
  // d gives to pooled output j what the taps from `first - stride * d` on are together, for `count` values of d.
  struct PooledAxis {
    int64_t first = 0;  // tap under a window's first output, at d = 0
    int64_t least = 0;  // d
    int64_t count = 1;
    int64_t before = 0;  // of the input, what is asked for outside of it
    int64_t after = 0;
  };

  PooledAxis pooled_axis(const ir::Node& convolution, size_t axis) const {
    const int64_t step = ir::ints_attribute(convolution, "stride")[axis];
    const int64_t padding = ir::ints_attribute(convolution, "padding")[axis];
    const int64_t taps = from_.type(ir::tensor_operand(convolution, 1)).shape[axis + 2];
    const int64_t in = from_.type(ir::tensor_operand(convolution, 0)).shape[axis + 2];
    const int64_t out = from_.type(pool_.node.outputs[0]).shape[axis + 2];
    const auto floor_of = [&](int64_t number) { return (number >= 0 ? number : number - step + 1) / step; };
    PooledAxis pooled{padding, -floor_of(taps - 1 - padding)};
    pooled.count = floor_of(step - 1 + padding) - pooled.least + 1;
    pooled.before = -pooled.least;
    pooled.after = out + pooled.count - 1 - in - pooled.before;
    return pooled;
  }

  // Each window has the outputs of one step: it sees few inputs, by taps that are averaged before.
  std::optional<ValueId> of_transposed(const ir::Node& convolution) {
    const bool fits = pool_.kernel == pool_.stride && ir::ints_attribute(convolution, "stride") == pool_.kernel &&
                      are(ir::ints_attribute(convolution, "dilation"), 1) &&
                      ir::int_attribute(convolution, "groups") == 1;
    if (!fits) {
      return std::nullopt;
    }
    const size_t axes = pool_.kernel.size();
    Shape order = {1, 0}, tap_before(2, 0), tap_after(2, 0), turned_before(2, 0), turned_after(2, 0), before(2, 0),
          after(2, 0);
    const Shape& weight = from_.type(ir::tensor_operand(convolution, 1)).shape;
    for (size_t axis = 0; axis < axes; ++axis) {
      const PooledAxis pooled = pooled_axis(convolution, axis);
      const int64_t step = pool_.kernel[axis];
      order.push_back(static_cast<int64_t>(axis) + 2);
      tap_before.push_back(step * (pooled.count - 1 + pooled.least) - pooled.first);
      tap_after.push_back(pooled.first - step * pooled.least + step - weight[axis + 2]);
      turned_before.push_back(pooled.count - 1);
      turned_after.push_back(1 - pooled.count);
      before.push_back(pooled.before);
      after.push_back(pooled.after);
    }
    ir::Node mapped = copy_.mapped(convolution);
    const ValueId first = chain_.add(Op::kPermute, {mapped.operands[1]}, "_weight_first", {{"dims", order}});
    const ValueId padded = add_pad(first, tap_before, tap_after, "constant", "_weight_padded");
    const ValueId averaged =
        chain_.add(pool_.node.op, {padded}, "_weight_pooled", pool_attributes(pool_.kernel, pool_.kernel));
    mapped.operands[1] = add_pad(averaged, turned_before, turned_after, "reflect", "_weight");
    Shape around(before.begin() + 2, before.end());
    if (before != after) {
      mapped.operands[0] = add_pad(ir::tensor_operand(mapped, 0), before, after, "constant", "_image");
      around.assign(axes, 0);
    }
    const Op op = axes == 2 ? Op::kConv2d : Op::kConv3d;
    return chain_.add(
        op, mapped.operands, "_product",
        {{"stride", Shape(axes, 1)}, {"padding", around}, {"dilation", Shape(axes, 1)}, {"groups", int64_t{1}}});
  }

  ValueId add_pad(ValueId of, const Shape& before, const Shape& after, const std::string& mode,
                  const std::string& suffix) {
    const bool changes_nothing = are(before, 0) && are(after, 0);
    return changes_nothing ? of
                           : chain_.add(Op::kPad, {of}, suffix,
                                        {{"before", before}, {"after", after}, {"mode", mode}, {"value", 0.0}});
  }

  // The pool goes along the columns of a product, which may have got axes of one element.
  std::optional<ValueId> of_linear(const ir::Node* node) {
    const Shape& in = from_.type(ir::tensor_operand(pool_.node, 0)).shape;
    const Shape rest(pool_.kernel.begin(), pool_.kernel.end() - 1);
    const Shape steps(pool_.stride.begin(), pool_.stride.end() - 1);
    while (node != nullptr && node->op == Op::kReshape) {
      node = only_producer(ir::tensor_operand(*node, 0));
    }
    if (node == nullptr || node->op != Op::kLinear || pool_.node.op != Op::kAvgPool2d || !are(rest, 1) ||
        !are(steps, 1) || from_.type(node->outputs[0]).shape.back() != in.back()) {
      return std::nullopt;
    }
    const int64_t width = pool_.kernel.back(), step = pool_.stride.back();
    const int64_t columns = from_.type(pool_.node.outputs[0]).shape.back();
    const Shape& weight = from_.type(ir::tensor_operand(*node, 1)).shape;
    ir::Node mapped = copy_.mapped(*node);
    mapped.operands[1] = pooled(mapped.operands[1], {1, 1, weight[0], weight[1]}, {width, 1}, {step, 1},
                                {columns, weight[1]}, "_weight");
    if (mapped.operands.size() > 2 && ir::is_tensor(mapped.operands[2])) {
      mapped.operands[2] = pooled(mapped.operands[2], {1, 1, 1, weight[0]}, {1, width}, {1, step}, {columns}, "_bias");
    }
    const ValueId made = chain_.add(Op::kLinear, mapped.operands, "_product", mapped.attributes);
    return chain_.add(Op::kReshape, {made}, "", {{"shape", from_.type(pool_.node.outputs[0]).shape}});
  }

  ValueId pooled(const Operand& operand, const Shape& image, const Shape& kernel, const Shape& stride,
                 const Shape& shape, const std::string& suffix) {
    const ValueId seen = chain_.add(Op::kReshape, {operand}, suffix + "_image", {{"shape", image}});
    const ValueId averaged = chain_.add(Op::kAvgPool2d, {seen}, suffix + "_pooled", pool_attributes(kernel, stride));
    return chain_.add(Op::kReshape, {averaged}, suffix, {{"shape", shape}});
  }

  const ir::Graph& from_;
  const UseCounts& uses_;
  GraphCopy& copy_;
  Pool pool_;
  NodeChain chain_;
};

}  // namespace

Result<ir::Graph> pool_products(const ir::Graph& graph) {
  GraphCopy copy(graph);
  const UseCounts uses(graph);
  for (const ir::Node& node : graph.nodes) {
    if (is_plain(graph, node)) {
      STITCH_ASSIGN(const std::optional<ValueId> made, PoolOfProduct(graph, uses, node, copy).run());
      if (made.has_value()) {
        copy.replace(node.outputs[0], *made);
        continue;
      }
    }
    STITCH_TRY(copy.keep(node));
  }
  return copy.finish();
}

}  // namespace stitch::plan
