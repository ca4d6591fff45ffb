// SPDX-License-Identifier: Apache-2.0
// x * P(X <= x) for a normal X; approximate is "none" (by erf) or "tanh".
#include <cmath>

#include "ir/ops/support/checks.h"
#include "ir/ops/support/pointwise.h"

namespace stitch::ir {
namespace {

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kSqrtTwoOverPi = 0.79788456080286535588;
constexpr double kCubicTerm = 0.044715;  // of the published tanh approximation

double gelu_by_erf(double x) { return 0.5 * x * (1.0 + std::erf(x * kSqrtHalf)); }
double gelu_by_tanh(double x) { return 0.5 * x * (1.0 + std::tanh(kSqrtTwoOverPi * (x + kCubicTerm * x * x * x))); }

}  // namespace

OpDef gelu_def() {
  OpDef def = pointwise(ElementRule::kFloatingPoint, {{"approximate", AttributeKind::kString}},
                        [](const Node& node, std::span<const double> operands) {
                          const bool by_tanh = string_attribute(node, "approximate") == "tanh";
                          return by_tanh ? gelu_by_tanh(operands[0]) : gelu_by_erf(operands[0]);
                        });
  def.infer = [same = def.infer](const Graph& graph, const Node& node) -> Types {
    const std::string& approximate = string_attribute(node, "approximate");
    STITCH_TRY(require(approximate == "none" || approximate == "tanh", "approximate is neither none nor tanh"));
    return same(graph, node);
  };
  return def;
}

}  // namespace stitch::ir
