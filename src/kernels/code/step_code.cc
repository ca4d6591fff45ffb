// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/step_code.h"

#include <fmt/args.h>

#include "kernels/code/expr_text.h"
#include "kernels/code/functor_text.h"

namespace stitch::kernels {
namespace {

std::string text(const Line& line) {
  if (line.values.empty()) {
    return line.format;
  }
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  for (const Expr& value : line.values) {
    values.push_back(to_text(value, BodyNames{}));
  }
  return fmt::vformat(line.format, values);
}

void add_construction(const FunctorTree& made, const std::string& variable, std::vector<std::string>& lines) {
  const std::string head = "const " + made.name + " " + variable + "{";
  if (made.members.empty()) {
    lines.push_back(head + "};");
    return;
  }
  lines.push_back(head);
  for (const Member& member : made.members) {
    lines.push_back("    ." + member.name + " = " + to_text(member.initial, BodyNames{}) + ",");
  }
  lines.push_back("};");
}

}  // namespace

StepCode to_text(const StepDraft& draft) {
  StepCode code{draft.includes, {}, draft.constants, draft.tensors, draft.shape.extents, {}, {}};
  for (const Line& line : draft.description) {
    code.description.push_back(text(line));
  }
  for (const FunctorTree& functor : draft.functors) {
    code.functors.push_back(to_text(functor));
  }
  for (const LaunchStatement& statement : draft.launch) {
    if (const Line* line = std::get_if<Line>(&statement)) {
      code.launch.push_back(text(*line));
    } else {
      const auto& construction = std::get<Construction>(statement);
      add_construction(draft.functors[construction.functor], construction.variable, code.launch);
    }
  }
  return code;
}

}  // namespace stitch::kernels
