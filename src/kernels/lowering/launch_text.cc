// SPDX-License-Identifier: Apache-2.0
#include "kernels/lowering/launch_text.h"

#include <algorithm>

namespace stitch::kernels {
namespace {

std::string named(std::string text, const std::string& variable) {
  for (size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at)) {
    text.replace(at, 1, variable + ".");
  }
  return text;
}

}  // namespace

void construct(StepBuilder& step, const FunctorText& functor, const std::string& variable) {
  const Functor& made = functor.functor;
  if (made.members.empty()) {
    step.launch("const " + made.name + " " + variable + "{};");
  } else {
    step.launch("const " + made.name + " " + variable + "{");
    for (const Member& member : made.members) {
      step.launch("    ." + member.name + " = " + member.initial + ",");
    }
    step.launch("};");
  }
  step.add(made);
}

std::string prove_vectorised(StepBuilder& step, const std::string& extent, const std::vector<LaneUser>& users,
                             const std::string& suffix) {
  const bool possible =
      std::any_of(users.begin(), users.end(), [](const LaneUser& user) { return user.functor->takes_lanes; });
  if (!possible) {
    return "false";
  }
  const std::string width = step.constant("int64_t", "vector_width", "4", "lanes of one access where alignment allows");
  const std::string variable = "vectorised" + suffix;
  std::string line = "const bool " + variable + " = " + extent + " % " + width + " == 0";
  for (const LaneUser& user : users) {
    if (!user.functor->takes_lanes) {
      continue;  // the skeleton calls it element by element
    }
    for (const std::string& check : user.functor->lane_checks) {
      step.launch(line + " &&");
      line = "    " + named(check, user.variable);
    }
    if (const std::string& divided = user.functor->lane_divider; !divided.empty()) {
      step.launch(line + " &&");
      line = "    " + user.variable + "." + divided + ".divisor() % " + width + " == 0";
    }
  }
  step.launch(line + ";");
  return variable;
}

}  // namespace stitch::kernels
