// SPDX-License-Identifier: Apache-2.0
#include "plan/recurrence/join_parts.h"

#include <optional>

#include "ir/graph/op.h"
#include "plan/recurrence/producers.h"
#include "plan/rewrite/graph_copy.h"

namespace stitch::plan {
namespace {

using ir::ValueId;
using Numbers = std::vector<int64_t>;

Numbers without_axis(Numbers shape, size_t axis) {
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return shape;
}

// Elements `begin` to `end` of `whole` along `axis`.
struct Part {
  ValueId whole;
  size_t axis = 0;
  int64_t begin = 0;
  int64_t end = 0;
};

// All in the new graph, which grows meanwhile.
class PartJoiner {
 public:
  PartJoiner(GraphCopy& copy, const ir::Node& cat, std::string name)
      : copy_(copy),
        axis_(static_cast<size_t>(ir::int_attribute(cat, "dim"))),
        location_(cat.location),
        name_(std::move(name)) {}

  // `parts` along the axis as one value, or nothing where a cat is the best there is.
  Result<std::optional<ValueId>> join(const std::vector<ValueId>& parts) {
    if (const std::optional<Part> part = one_part(parts); part.has_value()) {
      STITCH_ASSIGN(const ValueId value, view_of(*part));
      return std::optional(value);
    }
    return join_linears(parts);
  }

 private:
  const ir::Graph& graph() const { return copy_.graph(); }
  Result<ValueId> add(ir::Op op, std::vector<ir::Operand> operands,
                      std::vector<std::pair<std::string, ir::Attribute>> attributes) {
    return copy_.add({op, std::move(operands), std::move(attributes), {}, location_}, name_);
  }

  // What one operand of the cat is a part of. One row may have been reshaped on the way, as long as its own shape,
  // without the axis that it is a row along, is the rows' one.
  std::optional<Part> part_of(ValueId value) const {
    const Numbers& shape = graph().type(value).shape;
    const ir::Node* node = producer_of(graph(), value);
    while (node != nullptr && node->op == ir::Op::kReshape) {
      node = producer_of(graph(), ir::tensor_operand(*node, 0));
    }
    if (node == nullptr || (node->op != ir::Op::kSelect && node->op != ir::Op::kSlice)) {
      return std::nullopt;
    }
    Part part{ir::tensor_operand(*node, 0), static_cast<size_t>(ir::int_attribute(*node, "dim"))};
    const bool is_slice = node->op == ir::Op::kSlice;
    part.begin = ir::int_attribute(*node, is_slice ? "start" : "index");
    part.end = is_slice ? ir::int_attribute(*node, "end") : part.begin + 1;
    if (is_slice && ir::int_attribute(*node, "step") != 1) {
      return std::nullopt;
    }
    const bool is_itself = is_slice && node->outputs[0] == value && part.axis == axis_;
    const bool is_row = part.end == part.begin + 1 && shape[axis_] == 1 &&
                        without_axis(shape, axis_) == without_axis(graph().type(part.whole).shape, part.axis);
    return is_itself || is_row ? std::optional(part) : std::nullopt;
  }

  std::optional<Part> one_part(const std::vector<ValueId>& values) const {
    std::optional<Part> all = part_of(values[0]);
    for (size_t i = 1; i < values.size() && all.has_value(); ++i) {
      const std::optional<Part> next = part_of(values[i]);
      const bool continues =
          next.has_value() && next->whole == all->whole && next->axis == all->axis && next->begin == all->end;
      if (!continues) {
        return std::nullopt;
      }
      all->end = next->end;
    }
    return all;
  }

  Result<ValueId> view_of(const Part& part) {
    const Numbers& shape = graph().type(part.whole).shape;
    ValueId value = part.whole;
    if (part.begin != 0 || part.end != shape[part.axis]) {
      STITCH_ASSIGN(value, add(ir::Op::kSlice, {value},
                               {{"dim", static_cast<int64_t>(part.axis)},
                                {"start", part.begin},
                                {"end", part.end},
                                {"step", int64_t{1}}}));
    }
    if (part.axis == axis_) {
      return value;
    }
    Numbers dims;
    for (size_t axis = 0; axis < shape.size(); ++axis) {
      if (axis != part.axis) {
        dims.push_back(static_cast<int64_t>(axis));
      }
    }
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(axis_), static_cast<int64_t>(part.axis));
    return add(ir::Op::kPermute, {value}, {{"dims", dims}});
  }

  // The linear that makes a part, seen through a reshape that only puts an axis of one in front.
  const ir::Node* linear_of(ValueId value) const {
    const ir::Node* node = producer_of(graph(), value);
    if (node != nullptr && node->op == ir::Op::kReshape && axis_ == 0) {
      const ValueId inner = ir::tensor_operand(*node, 0);
      Numbers shape = graph().type(inner).shape;
      shape.insert(shape.begin(), 1);
      node = shape == graph().type(value).shape ? producer_of(graph(), inner) : nullptr;
    }
    return node != nullptr && node->op == ir::Op::kLinear ? node : nullptr;
  }

  Result<std::optional<ValueId>> join_linears(const std::vector<ValueId>& parts) {
    std::vector<ValueId> inputs;
    std::optional<ir::Node> first;
    for (const ValueId part : parts) {
      const ir::Node* linear = linear_of(part);
      if (linear == nullptr || axis_ + 1 >= graph().type(part).shape.size() ||
          (first.has_value() &&
           (linear->operands[1] != first->operands[1] || linear->operands[2] != first->operands[2]))) {
        return std::optional<ValueId>();
      }
      first = first.has_value() ? std::move(first) : std::optional(*linear);
      ValueId input = ir::tensor_operand(*linear, 0);
      if (graph().type(input).shape.size() < graph().type(part).shape.size()) {
        Numbers shape = graph().type(input).shape;
        shape.insert(shape.begin(), 1);
        STITCH_ASSIGN(input, add(ir::Op::kReshape, {input}, {{"shape", shape}}));
      }
      inputs.push_back(input);
    }
    STITCH_ASSIGN(std::optional<ValueId> all, join(inputs));
    if (!all.has_value()) {
      STITCH_ASSIGN(all, add(ir::Op::kCat, std::vector<ir::Operand>(inputs.begin(), inputs.end()),
                             {{"dim", static_cast<int64_t>(axis_)}}));
    }
    STITCH_ASSIGN(const ValueId joined, add(ir::Op::kLinear, {*all, first->operands[1], first->operands[2]}, {}));
    return std::optional(joined);
  }

  GraphCopy& copy_;
  size_t axis_;
  std::string location_;
  std::string name_;
};

}  // namespace

Result<ir::Graph> join_parts(const ir::Graph& graph) {
  GraphCopy copy(graph);
  for (const ir::Node& node : graph.nodes) {
    if (node.op == ir::Op::kCat) {
      std::vector<ValueId> parts;
      for (const ir::Operand& operand : copy.mapped(node).operands) {
        parts.push_back(std::get<ValueId>(operand));
      }
      PartJoiner joiner(copy, node, graph.value(node.outputs[0]).name);
      STITCH_ASSIGN(const std::optional<ValueId> joined, joiner.join(parts));
      if (joined.has_value()) {
        copy.replace(node.outputs[0], *joined);
        continue;
      }
    }
    STITCH_TRY(copy.keep(node));
  }
  return copy.finish();
}

}  // namespace stitch::plan
