// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/launch_text.h"

#include <algorithm>

namespace stitch::kernels {
namespace {

Expr is_multiple(Expr of, const Expr& width) {
  return binary(BinaryOp::kEqual, binary(BinaryOp::kRemainder, std::move(of), width), literal_expr(int_literal(0)));
}

Expr condition(const LaneCheck& check, const std::string& variable) {
  std::vector<Expr> arguments = {named(variable + "." + check.pointer)};
  for (const std::string& stride : check.strides) {
    arguments.push_back(stride.empty() ? literal_expr(int_literal(1)) : named(variable + "." + stride));
  }
  return call("stitch::lanes_aligned", std::move(arguments));
}

// All that must hold of the functors for lanes along their rows.
std::vector<Expr> conditions(const std::vector<LaneUser>& users, const Expr& width) {
  std::vector<Expr> found;
  for (const LaneUser& user : users) {
    if (!user.functor->tree.takes_lanes) {
      continue;  // the skeleton calls it element by element
    }
    for (const LaneCheck& check : user.functor->lane_checks) {
      found.push_back(condition(check, user.variable));
    }
    if (const std::string& divided = user.functor->lane_divider; !divided.empty()) {
      found.push_back(is_multiple(method_call(named(user.variable + "." + divided), "divisor", {}), width));
    }
  }
  return found;
}

}  // namespace

void construct(StepBuilder& step, const LoweredFunctor& functor, const std::string& variable) {
  step.construct(functor.tree, variable);
}

Expr prove_vectorised(StepBuilder& step, const Expr& extent, const std::vector<LaneUser>& users,
                      const std::string& suffix) {
  const bool possible =
      std::any_of(users.begin(), users.end(), [](const LaneUser& user) { return user.functor->tree.takes_lanes; });
  if (!possible) {
    return literal_expr({false, ScalarType::kBool});
  }
  const Expr width = step.constant("vector_width", int_literal(4), "lanes of one access where alignment allows");
  const std::string variable = "vectorised" + suffix;
  const std::vector<Expr> needed = conditions(users, width);
  step.launch(needed.empty() ? "const bool {} = {};" : "const bool {} = {} &&", variable, is_multiple(extent, width));
  for (size_t i = 0; i < needed.size(); ++i) {
    step.launch(i + 1 == needed.size() ? "    {};" : "    {} &&", needed[i]);
  }
  return named(variable);
}

}  // namespace stitch::kernels
