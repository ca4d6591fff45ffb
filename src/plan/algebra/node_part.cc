// SPDX-License-Identifier: Apache-2.0
#include "plan/algebra/node_part.h"

#include <algorithm>

#include "ir/graph/op.h"
#include "plan/rewrite/permuted_work.h"

namespace stitch::plan {
namespace {

using ir::Op;
using Shape = std::vector<int64_t>;

// The part of a node's work that gives at least `wanted` of its only result.
class PartOfNode {
 public:
  PartOfNode(const ir::Graph& graph, const ir::Node& node, const Box& wanted)
      : graph_(graph), node_(node), made_(wanted), read_(node.operands.size()) {
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (ir::is_tensor(node.operands[i])) {
        read_[i] = whole_box(graph_, ir::tensor_operand(node_, i));
      }
    }
  }

  NodePart find() {
    if (graph_.type(node_.outputs[0]).element_count() == 0) {
      made_ = whole_box(graph_, node_.outputs[0]);
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
        made_ = whole_box(graph_, node_.outputs[0]);
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
      made_ = whole_box(graph_, node_.outputs[0]);
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
    const AxisRange last{keys - 1, keys};
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

}  // namespace

Box whole_box(const ir::Graph& graph, ir::ValueId value) {
  Box box;
  for (const int64_t extent : graph.type(value).shape) {
    box.push_back({0, extent});
  }
  return box;
}

bool works_by_element(const ir::Node& node) { return node.op != Op::kOpaque && is_pointwise(node); }

NodePart part_that_makes(const ir::Graph& graph, const ir::Node& node, const Box& wanted) {
  return PartOfNode(graph, node, wanted).find();
}

}  // namespace stitch::plan
