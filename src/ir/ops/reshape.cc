// SPDX-License-Identifier: Apache-2.0
// The same elements in the same row-major order under another shape.
#include <fmt/format.h>

#include "artifact/tensor/extents.h"
#include "ir/ops/support/checks.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  const TensorType result{x->dtype, ints_attribute(node, "shape")};
  STITCH_TRY(check_extents(result));
  STITCH_TRY(require(result.element_count() == x->element_count(),
                     fmt::format("shape {} does not hold the {} elements of {}", to_string(result.shape),
                                 x->element_count(), to_string(x->shape))));
  return std::vector<TensorType>{result};
}

std::vector<ReferenceTensor> reference(const Graph&, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  return {{TensorType{operands[0]->type.dtype, ints_attribute(node, "shape")}, operands[0]->data}};
}

}  // namespace

OpDef reshape_def() {
  return {.attributes = {{"shape", AttributeKind::kInts}}, .infer = infer, .reference = reference};
}

}  // namespace stitch::ir
