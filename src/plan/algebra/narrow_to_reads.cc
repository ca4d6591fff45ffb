// SPDX-License-Identifier: Apache-2.0
// What is computed and then cut away is not computed: a class token, the last position of a text. Walking back from the
// outputs says which range of each axis of each value is read; walking forward makes every value just so large. Only
// elements that no output depends on are left out, so that nothing else changes, infinite numbers included. What one
// node reads: node_part.h.
#include <algorithm>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/group/group.h"
#include "plan/algebra/node_part.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::ValueId;

std::vector<int64_t> extents_of(const Box& box) {
  std::vector<int64_t> extents;
  for (const AxisRange& range : box) {
    extents.push_back(range.end - range.begin);
  }
  return extents;
}

// Which part of each node's work is wanted; none of nodes that nothing reads.
class WantedParts {
 public:
  // Nodes that `is_whole` names are made whole.
  WantedParts(const ir::Graph& graph, const std::vector<bool>& is_whole)
      : graph_(graph), is_whole_(is_whole), wanted_(graph.values.size()) {
    for (const ir::GraphOutput& output : graph.outputs) {
      want(output.value, whole_box(graph, output.value));
    }
    parts_.resize(graph.nodes.size());
    for (size_t i = graph.nodes.size(); i > 0; --i) {
      const ir::Node& node = graph.nodes[i - 1];
      NodePart& part = parts_[i - 1];
      part = part_of(node, i - 1);
      for (size_t operand = 0; operand < part.read.size(); ++operand) {
        if (part.read[operand].has_value()) {
          want(ir::tensor_operand(node, operand), *part.read[operand]);
        }
      }
    }
  }

  const NodePart& of(size_t node) const { return parts_[node]; }
  bool is_narrowed(size_t node) const {
    const ir::Node& of = graph_.nodes[node];
    return is_read(of) && of.outputs.size() == 1 && parts_[node].made != whole_box(graph_, of.outputs[0]);
  }
  bool is_read(const ir::Node& node) const {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId value) { return wanted(value) != nullptr; });
  }

 private:
  const Box* wanted(ValueId value) const {
    const std::optional<Box>& box = wanted_[static_cast<size_t>(value.index)];
    return box.has_value() ? &*box : nullptr;
  }

  void want(ValueId value, const Box& box) {
    std::optional<Box>& known = wanted_[static_cast<size_t>(value.index)];
    if (!known.has_value()) {
      known = box;
      return;
    }
    for (size_t axis = 0; axis < box.size(); ++axis) {
      (*known)[axis] = {std::min((*known)[axis].begin, box[axis].begin), std::max((*known)[axis].end, box[axis].end)};
    }
  }

  NodePart part_of(const ir::Node& node, size_t index) const {
    if (!is_read(node)) {
      return {{}, std::vector<std::optional<Box>>(node.operands.size())};
    }
    if (node.outputs.size() == 1) {
      const Box all = whole_box(graph_, node.outputs[0]);
      return part_that_makes(graph_, node, is_whole_[index] ? all : worth_narrowing(*wanted(node.outputs[0]), all));
    }
    NodePart all;
    for (const Operand& operand : node.operands) {
      all.read.push_back(ir::is_tensor(operand) ? std::optional(whole_box(graph_, std::get<ValueId>(operand)))
                                                : std::nullopt);
    }
    return all;
  }

  // What leaves out less than half of an axis spares little, and leaves odd extents.
  static Box worth_narrowing(Box box, const Box& all) {
    for (size_t axis = 0; axis < box.size(); ++axis) {
      if (2 * (box[axis].end - box[axis].begin) > all[axis].end) {
        box[axis] = all[axis];
      }
    }
    return box;
  }

  const ir::Graph& graph_;
  const std::vector<bool>& is_whole_;
  std::vector<std::optional<Box>> wanted_;  // by value
  std::vector<NodePart> parts_;
};

// Pointwise work that would be narrowed behind something that is made whole. It is done while that is written, to all
// of it; apart it would cost a pass of its own.
std::vector<size_t> spares_nothing(const ir::Graph& graph, const WantedParts& parts) {
  std::vector<bool> spares(graph.values.size(), false);  // by value: less is computed, or nothing is
  for (const ir::GraphInput& input : graph.inputs) {
    spares[static_cast<size_t>(input.value.index)] = input.role != TensorRole::kParameter;
  }
  std::vector<size_t> found;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const ir::Node& node = graph.nodes[i];
    const bool by_operand = std::any_of(node.operands.begin(), node.operands.end(), [&](const Operand& operand) {
      return ir::is_tensor(operand) && spares[static_cast<size_t>(std::get<ValueId>(operand).index)];
    });
    const bool is_by_element = works_by_element(node);
    const bool is_narrowed = parts.is_narrowed(i);
    if (is_narrowed && is_by_element && !by_operand) {
      found.push_back(i);
    }
    for (const ValueId output : node.outputs) {
      spares[static_cast<size_t>(output.index)] =
          kernels::is_view(node) ? by_operand : is_narrowed && (!is_by_element || by_operand);
    }
  }
  return found;
}

class Narrowing {
 public:
  Narrowing(const ir::Graph& from, const WantedParts& parts)
      : from_(from), parts_(parts), copy_(from), made_(from.values.size()) {
    for (const ir::GraphInput& input : from.inputs) {
      made_[static_cast<size_t>(input.value.index)] = whole_box(from, input.value);
    }
  }

  Result<ir::Graph> run() {
    for (size_t i = 0; i < from_.nodes.size(); ++i) {
      const ir::Node& node = from_.nodes[i];
      if (parts_.is_read(node)) {
        STITCH_TRY(add(node, parts_.of(i)));
      }
    }
    return copy_.finish();
  }

 private:
  const Box& made(ValueId value) const { return made_[static_cast<size_t>(value.index)]; }

  Result<void> add(const ir::Node& node, const NodePart& part) {
    for (const ValueId output : node.outputs) {
      made_[static_cast<size_t>(output.index)] = node.outputs.size() == 1 ? part.made : whole_box(from_, output);
    }
    if (is_as_before(node, part)) {
      return copy_.keep(node);
    }
    NodeChain chain(copy_, from_.value(node.outputs[0]).name, node.location);
    std::vector<Operand> operands;
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (!ir::is_tensor(node.operands[i])) {
        operands.push_back(node.operands[i]);
      } else if (part.read[i].has_value()) {
        operands.push_back(cut_operand(chain, node, i, *part.read[i]));
      }
    }
    STITCH_TRY(chain.result());
    if (node.op == Op::kCat && operands.size() == 1) {
      copy_.replace(node.outputs[0], std::get<ValueId>(operands[0]));
      return {};
    }
    copy_.replace(node.outputs[0], chain.add(node.op, std::move(operands), "", attributes_of(node, part)));
    return chain.result();
  }

  // Whether the node is whole, and reads whole operands that are there as they were.
  bool is_as_before(const ir::Node& node, const NodePart& part) const {
    if (node.outputs.size() == 1 && part.made != whole_box(from_, node.outputs[0])) {
      return false;
    }
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const bool is_there = !ir::is_tensor(node.operands[i]) ||
                            made(ir::tensor_operand(node, i)) == whole_box(from_, ir::tensor_operand(node, i));
      if (!is_there) {
        return false;
      }
    }
    return true;
  }

  // Views that cut do so themselves along their axis.
  static std::optional<size_t> own_axis(const ir::Node& node) {
    return node.op == Op::kSlice || node.op == Op::kSelect
               ? std::optional(static_cast<size_t>(ir::int_attribute(node, "dim")))
               : std::nullopt;
  }

  ValueId cut_operand(NodeChain& chain, const ir::Node& node, size_t operand, const Box& read) {
    const ValueId old = ir::tensor_operand(node, operand);
    const Box& there = made(old);
    ValueId value = copy_.mapped(old);
    for (size_t axis = 0; axis < read.size(); ++axis) {
      if (axis != own_axis(node) && there[axis] != read[axis]) {
        value = chain.add(Op::kSlice, {value}, "_of_" + from_.value(old).name,
                          {{"dim", static_cast<int64_t>(axis)},
                           {"start", read[axis].begin - there[axis].begin},
                           {"end", read[axis].end - there[axis].begin},
                           {"step", int64_t{1}}});
      }
    }
    return value;
  }

  std::vector<std::pair<std::string, ir::Attribute>> attributes_of(const ir::Node& node, const NodePart& part) const {
    auto attributes = node.attributes;
    const auto set = [&](const char* name, ir::Attribute value) {
      std::find_if(attributes.begin(), attributes.end(), [&](const auto& each) { return each.first == name; })->second =
          std::move(value);
    };
    if (node.op == Op::kReshape || node.op == Op::kExpand || node.op == Op::kFull) {
      set("shape", extents_of(part.made));
    } else if (const std::optional<size_t> axis = own_axis(node); axis.has_value()) {
      const AxisRange& read = (*part.read[0])[*axis];
      const int64_t before = made(ir::tensor_operand(node, 0))[*axis].begin;
      if (node.op == Op::kSelect) {
        set("index", read.begin - before);
      } else {
        set("start", read.begin - before);
        set("end", read.end - before);
      }
    } else if (node.op == Op::kScaledDotProductAttention &&
               part.made[part.made.size() - 2] != whole_box(from_, node.outputs[0])[part.made.size() - 2]) {
      set("is_causal", false);
    }
    return attributes;
  }

  const ir::Graph& from_;
  const WantedParts& parts_;
  GraphCopy copy_;
  std::vector<Box> made_;  // by value of the old graph
};

}  // namespace

Result<ir::Graph> narrow_to_reads(const ir::Graph& graph) {
  std::vector<bool> is_whole(graph.nodes.size(), false);
  // Each round names further nodes; once they are all named, nothing is narrowed.
  for (;;) {
    const WantedParts parts(graph, is_whole);
    const std::vector<size_t> found = spares_nothing(graph, parts);
    if (found.empty()) {
      return Narrowing(graph, parts).run();
    }
    for (const size_t node : found) {
      is_whole[node] = true;
    }
  }
}

}  // namespace stitch::plan
