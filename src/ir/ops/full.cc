// SPDX-License-Identifier: Apache-2.0
// One value everywhere.
#include <algorithm>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {

OpDef full_def() {
  return {.attributes = {{"shape", AttributeKind::kInts},
                         {"value", AttributeKind::kDouble},
                         {"dtype", AttributeKind::kDataType}},
          .infer = [](const Graph&, const Node& node) -> Types {
            return std::vector<TensorType>{{dtype_attribute(node, "dtype"), ints_attribute(node, "shape")}};
          },
          .reference =
              [](const Graph& graph, const Node& node, const auto&) {
                ReferenceTensor result = make_reference(output_type(graph, node));
                std::fill(result.data.begin(), result.data.end(), double_attribute(node, "value"));
                return std::vector<ReferenceTensor>{result};
              }};
}

}  // namespace stitch::ir
