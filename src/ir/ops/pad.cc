// SPDX-License-Identifier: Apache-2.0
// `before` and `after` more elements along each axis (fewer where negative). A place outside the operand shows, by
// mode: "constant" the value; "replicate" the nearest element; "reflect" the one mirrored at the edge; "circular" the
// one that follows when the operand is repeated. So roll is circular and flip is reflect, with as many elements as
// before.
#include <fmt/format.h>

#include <algorithm>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

// How many elements a mode can find beyond an edge of an axis.
int64_t max_amount(const std::string& mode, int64_t extent) { return mode == "reflect" ? extent - 1 : extent; }

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  const std::vector<int64_t>& before = ints_attribute(node, "before");
  const std::vector<int64_t>& after = ints_attribute(node, "after");
  const std::string& mode = string_attribute(node, "mode");
  const bool is_bounded = mode == "reflect" || mode == "circular";
  STITCH_TRY(require(is_bounded || mode == "constant" || mode == "replicate",
                     fmt::format("mode \"{}\" is not constant, replicate, reflect or circular", mode)));
  STITCH_TRY(require(before.size() == x->shape.size() && after.size() == x->shape.size(),
                     fmt::format("needs two amounts for each of the {} axes", x->shape.size())));
  TensorType result = *x;
  for (size_t axis = 0; axis < before.size(); ++axis) {
    const int64_t extent = x->shape[axis];
    result.shape[axis] = extent + before[axis] + after[axis];
    STITCH_TRY(
        require(result.shape[axis] >= 0, fmt::format("cuts more off axis {} than its {} elements", axis, extent)));
    const int64_t most = std::max(before[axis], after[axis]);
    STITCH_TRY(require(!is_bounded || most <= std::max<int64_t>(0, max_amount(mode, extent)),
                       fmt::format("{} padding of {} is too much for axis {} of {}", mode, most, axis, extent)));
    STITCH_TRY(require(extent > 0 || mode == "constant" || result.shape[axis] == 0,
                       fmt::format("axis {} has no element to show", axis)));
  }
  return std::vector<TensorType>{result};
}

int64_t shown(const std::string& mode, int64_t place, int64_t extent) {
  if (mode == "replicate") {
    return std::clamp<int64_t>(place, 0, extent - 1);
  }
  if (mode == "circular") {
    return (place + extent) % extent;
  }
  return place < 0 ? -place : place >= extent ? 2 * (extent - 1) - place : place;
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  const std::vector<int64_t>& before = ints_attribute(node, "before");
  const std::string& mode = string_attribute(node, "mode");
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    Position position = position_of(static_cast<int64_t>(i), result.type.shape);
    bool is_inside = true;
    for (size_t axis = 0; axis < position.size(); ++axis) {
      const int64_t extent = x.type.shape[axis];
      const int64_t place = position[axis] - before[axis];
      is_inside = is_inside && (mode != "constant" || (place >= 0 && place < extent));
      position[axis] = mode == "constant" ? place : shown(mode, place, extent);
    }
    result.data[i] =
        is_inside ? x.data[static_cast<size_t>(index_of(position, x.type.shape))] : double_attribute(node, "value");
  }
  return {result};
}

}  // namespace

OpDef pad_def() {
  return {.attributes = {{"before", AttributeKind::kInts},
                         {"after", AttributeKind::kInts},
                         {"mode", AttributeKind::kString},
                         {"value", AttributeKind::kDouble}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
