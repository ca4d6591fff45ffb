// SPDX-License-Identifier: Apache-2.0
// One value everywhere.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {

OpDef full_def() {
  return {.attributes = {{"shape", AttributeKind::kInts},
                         {"value", AttributeKind::kDouble},
                         {"dtype", AttributeKind::kDataType}},
          .infer = [](const Graph&, const Node& node) -> Types {
            const DataType dtype = dtype_attribute(node, "dtype");
            const double value = double_attribute(node, "value");
            const bool fits = dtype == DataType::kBool ? value == 0.0 || value == 1.0
                                                       : is_floating_point(dtype) || std::trunc(value) == value;
            STITCH_TRY(require(fits, fmt::format("{} is not a value of type {}", value, stitch::to_string(dtype))));
            return std::vector<TensorType>{{dtype, ints_attribute(node, "shape")}};
          },
          .reference =
              [](const Graph& graph, const Node& node, const auto&) {
                ReferenceTensor result = make_reference(output_type(graph, node));
                std::fill(result.data.begin(), result.data.end(), double_attribute(node, "value"));
                return std::vector<ReferenceTensor>{result};
              }};
}

}  // namespace stitch::ir
