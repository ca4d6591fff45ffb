// SPDX-License-Identifier: Apache-2.0
// nll_loss(log probabilities [n, c, ...] or [c], target [n, ...] or [], class weight [c] or none): minus the log
// probability of each target class, times its weight; targets equal to ignore_index count nothing. reduction is "none",
// "mean" (over the sum of the weights that count) or "sum".
#include <fmt/format.h>

#include <limits>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/index.h"

namespace stitch::ir {
namespace {

size_t class_axis(const TensorType& log_probabilities) { return log_probabilities.shape.size() == 1 ? 0 : 1; }

Types infer(const Graph& graph, const Node& node) {
  STITCH_ASSIGN(const TensorType* x, tensor_type(graph, node, 0));
  STITCH_TRY(require_floating_point(x->dtype));
  STITCH_ASSIGN(const TensorType* target, tensor_type(graph, node, 1, DataType::kInt64));
  STITCH_TRY(require(!x->shape.empty(), "needs an axis of classes"));
  std::vector<int64_t> expected = x->shape;
  expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(class_axis(*x)));
  STITCH_TRY(require(target->shape == expected,
                     fmt::format("the target has shape {}, not {}", to_string(target->shape), to_string(expected))));
  STITCH_TRY(require_vector(graph, node, 2, x->dtype, x->shape[class_axis(*x)]));
  const std::string& reduction = string_attribute(node, "reduction");
  STITCH_TRY(require(reduction == "none" || reduction == "mean" || reduction == "sum",
                     fmt::format("reduction \"{}\" is not none, mean or sum", reduction)));
  return std::vector<TensorType>{{x->dtype, reduction == "none" ? expected : std::vector<int64_t>{}}};
}

constexpr int64_t kCountsNothing = std::numeric_limits<int64_t>::min();

// The class at this target.
int64_t counted_class(const Node& node, double target) {
  const auto chosen = static_cast<int64_t>(target);
  return chosen == int_attribute(node, "ignore_index") ? kCountsNothing : chosen;
}

struct Loss {
  double loss;
  double weight;
};

// A class that is none of `split.extent` has no meaning: NaN makes it visible.
Loss loss_of(const std::vector<const ReferenceTensor*>& operands, const AxisSplit& split, int64_t i, int64_t chosen) {
  if (chosen < 0 || chosen >= split.extent) {
    return {std::numeric_limits<double>::quiet_NaN(), 1.0};
  }
  const double weight = operands[2] == nullptr ? 1.0 : operands[2]->data[static_cast<size_t>(chosen)];
  const int64_t at = (i / split.inner * split.extent + chosen) * split.inner + i % split.inner;
  return {-operands[0]->data[static_cast<size_t>(at)] * weight, weight};
}

std::vector<ReferenceTensor> reference(const Graph& graph, const Node& node,
                                       const std::vector<const ReferenceTensor*>& operands) {
  const ReferenceTensor& x = *operands[0];
  const AxisSplit split = split_at(x.type.shape, class_axis(x.type));
  const std::string& reduction = string_attribute(node, "reduction");
  ReferenceTensor result = make_reference(output_type(graph, node));
  double loss_sum = 0.0;
  double weight_sum = 0.0;
  for (int64_t i = 0; i < split.outer * split.inner; ++i) {
    const int64_t chosen = counted_class(node, operands[1]->data[static_cast<size_t>(i)]);
    if (chosen == kCountsNothing) {
      continue;
    }
    const auto [loss, weight] = loss_of(operands, split, i, chosen);
    loss_sum += loss;
    weight_sum += weight;
    if (reduction == "none") {
      result.data[static_cast<size_t>(i)] = loss;
    }
  }
  if (reduction != "none") {
    result.data[0] = reduction == "sum" ? loss_sum : loss_sum / weight_sum;
  }
  return {result};
}

}  // namespace

OpDef nll_loss_def() {
  return {.attributes = {{"reduction", AttributeKind::kString}, {"ignore_index", AttributeKind::kInt}},
          .infer = infer,
          .reference = reference};
}

}  // namespace stitch::ir
