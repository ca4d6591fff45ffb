// SPDX-License-Identifier: Apache-2.0
// What is computed and then cut away is not computed: a class token, the last position of a text. Walking back from the
// outputs says which range of each axis of each value is read; walking forward makes every value just so large. Only
// elements that no output depends on are left out, so that nothing else changes, infinite numbers included.
#include <algorithm>
#include <optional>

#include "ir/graph/op.h"
#include "kernels/group/group.h"
#include "plan/rewrite/node_chain.h"
#include "plan/rewrite/permuted_work.h"
#include "plan/rewrite/rewrite.h"

namespace stitch::plan {
namespace {

using ir::Op;
using ir::Operand;
using ir::ValueId;
using Shape = std::vector<int64_t>;

struct Range {
  int64_t begin = 0;
  int64_t end = 0;
  bool operator==(const Range&) const = default;
};
using Box = std::vector<Range>;  // one range an axis

Box whole(const Shape& shape) {
  Box box;
  for (const int64_t extent : shape) {
    box.push_back({0, extent});
  }
  return box;
}

Shape extents_of(const Box& box) {
  Shape extents;
  for (const Range& range : box) {
    extents.push_back(range.end - range.begin);
  }
  return extents;
}

bool works_by_element(const ir::Node& node) { return node.op != Op::kOpaque && is_pointwise(node); }

// What a node makes of its result, and reads of each operand for that; nothing of an operand that it does without.
struct Part {
  Box made;
  std::vector<std::optional<Box>> read;
};

// The part of a node's work that gives at least `wanted` of its only result.
class PartOfNode {
 public:
  PartOfNode(const ir::Graph& graph, const ir::Node& node, const Box& wanted)
      : graph_(graph), node_(node), made_(wanted), read_(node.operands.size()) {
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (ir::is_tensor(node.operands[i])) {
        read_[i] = whole(shape(i));
      }
    }
  }

  Part find() {
    if (graph_.type(node_.outputs[0]).element_count() == 0) {
      made_ = whole(made_shape());
    } else if (works_by_element(node_)) {
      align_all();
    } else {
      find_by_operator();
    }
    return {made_, read_};
  }

 private:
  const Shape& shape(size_t operand) const { return graph_.type(ir::tensor_operand(node_, operand)).shape; }
  const Shape& made_shape() const { return graph_.type(node_.outputs[0]).shape; }
  size_t rank() const { return made_.size(); }
  void make_whole(size_t axis) { made_[axis] = {0, made_shape()[axis]}; }

  // Axes `first` to `last`, counted from the end, of the operand as they are made, where it is not repeated along them.
  void align(size_t operand, size_t first, size_t last) {
    const Shape& own = shape(operand);
    Box& box = *read_[operand];
    for (size_t i = first; i < last && i < own.size() && i < rank(); ++i) {
      const size_t axis = own.size() - 1 - i;
      const size_t made_axis = rank() - 1 - i;
      if (own[axis] == made_shape()[made_axis]) {
        box[axis] = made_[made_axis];
      }
    }
  }
  void align_all() {
    for (size_t i = 0; i < read_.size(); ++i) {
      if (read_[i].has_value()) {
        align(i, 0, rank());
      }
    }
  }

  void find_by_operator() {
    switch (node_.op) {
      case Op::kExpand:
        return align_all();
      case Op::kPermute:
        return find_permute();
      case Op::kReshape:
        return find_reshape();
      case Op::kSlice:
        return find_slice();
      case Op::kSelect:
        return find_select();
      case Op::kCat:
        return find_cat();
      case Op::kLinear:
        make_whole(rank() - 1);
        return align(0, 1, rank());
      case Op::kMatmul:
        return find_matmul();
      case Op::kLayerNorm:
        return find_rows(ir::ints_attribute(node_, "normalized_shape").size());
      case Op::kSoftmax:
      case Op::kLogSoftmax:
        make_whole(static_cast<size_t>(ir::int_attribute(node_, "dim")));
        return align_all();
      case Op::kSum:
      case Op::kMean:
      case Op::kAmax:
      case Op::kAmin:
      case Op::kVar:
      case Op::kLogsumexp:
        return find_reduction();
      case Op::kScaledDotProductAttention:
        return find_attention();
      case Op::kFull:
        return;
      default:
        made_ = whole(made_shape());
    }
  }

  void find_permute() {
    const Shape& dims = ir::ints_attribute(node_, "dims");
    for (size_t i = 0; i < dims.size(); ++i) {
      (*read_[0])[static_cast<size_t>(dims[i])] = made_[i];
    }
  }

  // An axis that the reshape leaves as it is: of the same extent, with as many elements behind it.
  void find_reshape() {
    const Shape& from = shape(0);
    const Shape& to = made_shape();
    int64_t behind = 1;
    for (size_t i = rank(); i > 0; --i) {
      const size_t axis = i - 1;
      int64_t own_behind = 1;
      size_t own = from.size();
      while (own > 0 && !(own_behind == behind && from[own - 1] == to[axis])) {
        own_behind *= from[--own];
      }
      if (own > 0 && to[axis] > 1) {
        (*read_[0])[own - 1] = made_[axis];
      } else {
        make_whole(axis);
      }
      behind *= to[axis];
    }
  }

  void find_slice() {
    const auto axis = static_cast<size_t>(ir::int_attribute(node_, "dim"));
    const int64_t start = ir::int_attribute(node_, "start");
    const int64_t step = ir::int_attribute(node_, "step");
    read_[0] = made_;
    (*read_[0])[axis] = {start + made_[axis].begin * step, start + (made_[axis].end - 1) * step + 1};
  }

  void find_select() {
    const int64_t axis = ir::int_attribute(node_, "dim");
    const int64_t index = ir::int_attribute(node_, "index");
    Box box = made_;
    box.insert(box.begin() + axis, {index, index + 1});
    read_[0] = box;
  }

  void find_cat() {
    const auto axis = static_cast<size_t>(ir::int_attribute(node_, "dim"));
    int64_t start = 0;
    for (size_t i = 0; i < read_.size(); ++i) {
      const int64_t end = start + shape(i)[axis];
      Box box = made_;
      box[axis] = {std::max(made_[axis].begin, start) - start, std::min(made_[axis].end, end) - start};
      read_[i] = box[axis].begin < box[axis].end ? std::optional(box) : std::nullopt;
      start = end;
    }
  }

  void find_matmul() {
    if (shape(0).size() < 2 || shape(1).size() < 2) {
      made_ = whole(made_shape());
      return;
    }
    align(0, 1, rank());
    align(1, 2, rank());
    read_[1]->back() = made_.back();
  }

  // Rows of the last `count` axes, each made of the operand's alone.
  void find_rows(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      make_whole(rank() - 1 - i);
    }
    align(0, count, rank());
  }

  void find_reduction() {
    const Shape& dims = ir::ints_attribute(node_, "dim");
    const bool keeps_axes = ir::bool_attribute(node_, "keepdim");
    size_t made_axis = 0;
    for (size_t axis = 0; axis < shape(0).size(); ++axis) {
      const bool is_reduced = std::find(dims.begin(), dims.end(), static_cast<int64_t>(axis)) != dims.end();
      if (!is_reduced) {
        (*read_[0])[axis] = made_[made_axis];
      }
      made_axis += !is_reduced || keeps_axes ? 1 : 0;
    }
  }

  // Queries and batches, and features of the values. A causal row knows how many rows are above it; the last of as many
  // as there are keys sees all of them.
  void find_attention() {
    const int64_t keys = shape(1)[rank() - 2];
    const Range last{keys - 1, keys};
    const bool is_causal = ir::bool_attribute(node_, "is_causal");
    if (is_causal && !(made_[rank() - 2] == last && made_shape()[rank() - 2] == keys)) {
      make_whole(rank() - 2);
    }
    if (ir::bool_attribute(node_, "enable_gqa") && rank() > 2) {
      make_whole(rank() - 3);
    }
    align(0, 1, rank());
    align(1, 2, rank());
    align(2, 2, rank());
    read_[2]->back() = made_.back();
    if (read_[3].has_value()) {
      align(3, 1, rank());
    }
  }

  const ir::Graph& graph_;
  const ir::Node& node_;
  Box made_;
  std::vector<std::optional<Box>> read_;
};

// Which part of each node's work is wanted; none of nodes that nothing reads.
class WantedParts {
 public:
  // Nodes that `is_whole` names are made whole.
  WantedParts(const ir::Graph& graph, const std::vector<bool>& is_whole)
      : graph_(graph), is_whole_(is_whole), wanted_(graph.values.size()) {
    for (const ir::GraphOutput& output : graph.outputs) {
      want(output.value, whole(graph.type(output.value).shape));
    }
    parts_.resize(graph.nodes.size());
    for (size_t i = graph.nodes.size(); i > 0; --i) {
      const ir::Node& node = graph.nodes[i - 1];
      Part& part = parts_[i - 1];
      part = part_of(node, i - 1);
      for (size_t operand = 0; operand < part.read.size(); ++operand) {
        if (part.read[operand].has_value()) {
          want(ir::tensor_operand(node, operand), *part.read[operand]);
        }
      }
    }
  }

  const Part& of(size_t node) const { return parts_[node]; }
  bool is_narrowed(size_t node) const {
    const ir::Node& of = graph_.nodes[node];
    return is_read(of) && of.outputs.size() == 1 && parts_[node].made != whole(graph_.type(of.outputs[0]).shape);
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

  Part part_of(const ir::Node& node, size_t index) const {
    if (!is_read(node)) {
      return {{}, std::vector<std::optional<Box>>(node.operands.size())};
    }
    if (node.outputs.size() == 1) {
      const Box all = whole(graph_.type(node.outputs[0]).shape);
      return PartOfNode(graph_, node, is_whole_[index] ? all : worth_narrowing(*wanted(node.outputs[0]), all)).find();
    }
    Part all;
    for (const Operand& operand : node.operands) {
      all.read.push_back(ir::is_tensor(operand) ? std::optional(whole(graph_.type(std::get<ValueId>(operand)).shape))
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
  std::vector<Part> parts_;
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
      made_[static_cast<size_t>(input.value.index)] = whole(from.type(input.value).shape);
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

  Result<void> add(const ir::Node& node, const Part& part) {
    for (const ValueId output : node.outputs) {
      made_[static_cast<size_t>(output.index)] = node.outputs.size() == 1 ? part.made : whole(from_.type(output).shape);
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
  bool is_as_before(const ir::Node& node, const Part& part) const {
    if (node.outputs.size() == 1 && part.made != whole(from_.type(node.outputs[0]).shape)) {
      return false;
    }
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const bool is_there = !ir::is_tensor(node.operands[i]) ||
                            made(ir::tensor_operand(node, i)) == whole(from_.type(ir::tensor_operand(node, i)).shape);
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

  std::vector<std::pair<std::string, ir::Attribute>> attributes_of(const ir::Node& node, const Part& part) const {
    auto attributes = node.attributes;
    const auto set = [&](const char* name, ir::Attribute value) {
      std::find_if(attributes.begin(), attributes.end(), [&](const auto& each) { return each.first == name; })->second =
          std::move(value);
    };
    if (node.op == Op::kReshape || node.op == Op::kExpand || node.op == Op::kFull) {
      set("shape", extents_of(part.made));
    } else if (const std::optional<size_t> axis = own_axis(node); axis.has_value()) {
      const Range& read = (*part.read[0])[*axis];
      const int64_t before = made(ir::tensor_operand(node, 0))[*axis].begin;
      if (node.op == Op::kSelect) {
        set("index", read.begin - before);
      } else {
        set("start", read.begin - before);
        set("end", read.end - before);
      }
    } else if (node.op == Op::kScaledDotProductAttention &&
               part.made[part.made.size() - 2] != whole(from_.type(node.outputs[0]).shape)[part.made.size() - 2]) {
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
