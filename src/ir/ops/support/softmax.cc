// SPDX-License-Identifier: Apache-2.0
#include "ir/ops/support/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  STITCH_TRY(axis_attribute(node, "dim", x->shape.size()));
  return std::vector<TensorType>{*x};
}

}  // namespace

OpDef softmax_like(std::function<double(double x, double largest, double sum)> element) {
  OpDef def;
  def.attributes = {{"dim", AttributeKind::kInt}};
  def.infer = infer;
  def.reference = [element = std::move(element)](const Graph&, const Node& node, const auto& operands) {
    const ReferenceTensor& x = *operands[0];
    const AxisSplit split = split_at(x.type.shape, static_cast<size_t>(int_attribute(node, "dim")));
    ReferenceTensor y = make_reference(x.type);
    for (int64_t line = 0; line < split.outer * split.inner; ++line) {
      const int64_t begin = line / split.inner * split.extent * split.inner + line % split.inner;
      const auto at = [&](int64_t i) { return static_cast<size_t>(begin + i * split.inner); };
      double largest = -std::numeric_limits<double>::infinity();
      for (int64_t i = 0; i < split.extent; ++i) {
        largest = std::max(largest, x.data[at(i)]);
      }
      double sum = 0.0;
      for (int64_t i = 0; i < split.extent; ++i) {
        sum += std::exp(x.data[at(i)] - largest);
      }
      for (int64_t i = 0; i < split.extent; ++i) {
        y.data[at(i)] = element(x.data[at(i)], largest, sum);
      }
    }
    return std::vector<ReferenceTensor>{y};
  };
  return def;
}

}  // namespace stitch::ir
