// SPDX-License-Identifier: Apache-2.0
// scatter(x, index, src): x, with each element of src sent to its own place but along dim at index. src has the shape
// of x but for dim; index has that of src, or an extent of one where it is the same all along an axis. reduce says what
// becomes of the values sent to one place, in their order: none (the last one stays), sum, prod, mean, amax, amin;
// include_self whether what stood there counts too. Places that nothing is sent to keep their value; an index out of
// range sends nothing.
#include <fmt/format.h>

#include <cmath>

#include "ir/ops/support/index.h"
#include "ir/ops/support/look_up.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_ASSIGN(const TensorType* index, index_type(graph, node, 1));
  STITCH_ASSIGN(const TensorType* source, tensor_type(graph, node, 2, x->dtype));
  STITCH_ASSIGN(const size_t axis, axis_attribute(node, "dim", x->shape.size()));
  STITCH_TRY(require(source->shape.size() == x->shape.size(), "values and result differ in their number of axes"));
  bool fits = index->shape.size() == source->shape.size() && index->shape[axis] == source->shape[axis];
  for (size_t i = 0; fits && i < index->shape.size(); ++i) {
    fits = index->shape[i] == source->shape[i] || index->shape[i] == 1;
  }
  STITCH_TRY(require(
      fits, fmt::format("there are {} indices and {} values", to_string(index->shape), to_string(source->shape))));
  std::vector<int64_t> others = source->shape;
  if (others.size() == x->shape.size()) {
    others[axis] = x->shape[axis];
  }
  STITCH_TRY(require(others == x->shape, fmt::format("values of shape {} do not match {} but for axis {}",
                                                     to_string(source->shape), to_string(x->shape), axis)));
  const std::string& reduce = string_attribute(node, "reduce");
  const bool is_known = reduce == "none" || reduce == "sum" || reduce == "prod" || reduce == "mean" ||
                        reduce == "amax" || reduce == "amin";
  STITCH_TRY(require(is_known, "there is no reduction " + reduce));
  const bool adds = reduce == "sum" || reduce == "prod" || reduce == "mean";
  STITCH_TRY(require(!adds || x->dtype != DataType::kBool, "bool is not a type of numbers"));
  return std::vector<TensorType>{*x};
}

double combined(const std::string& reduce, double total, double value) {
  if (reduce == "prod") {
    return total * value;
  }
  if (reduce == "amax" || reduce == "amin") {
    const bool is_better = reduce == "amax" ? value > total : value < total;
    return std::isnan(value) || is_better ? value : total;
  }
  return total + value;
}

std::vector<ReferenceTensor> reference(const Graph&, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const auto axis = static_cast<size_t>(int_attribute(node, "dim"));
  const std::string& reduce = string_attribute(node, "reduce");
  ReferenceTensor result = *operands[0];
  std::vector<int64_t> counts(result.data.size(), bool_attribute(node, "include_self") ? 1 : 0);
  for (size_t i = 0; i < operands[2]->data.size(); ++i) {
    Position position = position_of(static_cast<int64_t>(i), operands[2]->type.shape);
    const auto index = static_cast<size_t>(broadcast_index(position, operands[1]->type.shape));
    position[axis] = row_at(*operands[1], index, result.type.shape[axis]);
    if (position[axis] < 0) {
      continue;
    }
    const auto at = static_cast<size_t>(index_of(position, result.type.shape));
    const double value = operands[2]->data[i];
    const bool replaces = reduce == "none" || counts[at] == 0;
    result.data[at] = replaces ? value : combined(reduce, result.data[at], value);
    ++counts[at];
  }
  for (size_t at = 0; at < counts.size() && reduce == "mean"; ++at) {
    if (counts[at] > 1) {
      const double mean = result.data[at] / static_cast<double>(counts[at]);
      result.data[at] = is_floating_point(result.type.dtype) ? mean : std::floor(mean);
    }
  }
  return {result};
}

}  // namespace

OpDef scatter_def() {
  return {.attributes = {{"dim", AttributeKind::kInt},
                         {"reduce", AttributeKind::kString},
                         {"include_self", AttributeKind::kBool}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
