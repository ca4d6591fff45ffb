// SPDX-License-Identifier: Apache-2.0
// start, start + step, ... short of end.
#include <fmt/format.h>

#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph&, const Node& node) {
  const double step = double_attribute(node, "step");
  const double count = std::ceil((double_attribute(node, "end") - double_attribute(node, "start")) / step);
  constexpr double kMaxCount = 1e15;  // beyond, a double does not tell one element from the next
  STITCH_TRY(require(std::isfinite(count) && count >= 0.0, "step does not lead from start to end"));
  STITCH_TRY(require(count <= kMaxCount, fmt::format("{} elements are more than memory holds", count)));
  return std::vector<TensorType>{{dtype_attribute(node, "dtype"), {static_cast<int64_t>(count)}}};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>&) {
  ReferenceTensor result = make_reference(output_type(graph, node));
  for (size_t i = 0; i < result.data.size(); ++i) {
    result.data[i] = double_attribute(node, "start") + static_cast<double>(i) * double_attribute(node, "step");
  }
  return {result};
}

}  // namespace

OpDef arange_def() {
  return {.attributes = {{"start", AttributeKind::kDouble},
                         {"end", AttributeKind::kDouble},
                         {"step", AttributeKind::kDouble},
                         {"dtype", AttributeKind::kDataType}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
