// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/step_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/print/lines.h"

namespace stitch::codegen {
namespace {

constexpr int kIndent = 2;

void print_head(const StepFile& step, Lines& lines) {
  lines.comment(fmt::format("{}, step {}: {}", step.program, step.index, step.name));
  lines.add("//");
  for (const std::string& line : step.mathematics) {
    lines.comment("  " + line);
  }
  lines.add("//");
  for (const std::string& line : step.code.description) {
    lines.comment(line);
  }
  for (const std::string& include : step.code.includes) {
    lines.add("#include \"" + include + "\"");
  }
  lines.add("#include \"stitch/step.h\"");
  lines.blank();
  lines.add("namespace {");
  lines.blank();
}

void print_constants(const kernels::StepCode& code, Lines& lines) {
  for (const kernels::Constant& constant : code.constants) {
    const std::string comment = constant.comment.empty() ? "" : "  // " + constant.comment;
    lines.add(fmt::format("constexpr {} {} = {};{}", kernels::to_string(constant.value.type), constant.name,
                          kernels::to_text(constant.value), comment));
  }
  if (!code.constants.empty()) {
    lines.blank();
  }
}

void print_enumerators(const kernels::StepCode& code, Lines& lines) {
  lines.comment("Places in StepArgs::tensors: what is read, then what is written.");
  lines.add("enum Tensor {");
  for (const kernels::NamedTensor& tensor : code.tensors) {
    lines.add(tensor.name + ",", kIndent);
  }
  lines.add("};");
  lines.blank();
  if (code.extents.empty()) {
    return;
  }
  size_t width = 0;
  for (const kernels::NamedExtent& extent : code.extents) {
    width = std::max(width, extent.comment.empty() ? 0 : extent.name.size() + 1);
  }
  lines.comment("Places in StepArgs::extents.");
  lines.add("enum Extent {");
  for (const kernels::NamedExtent& extent : code.extents) {
    const std::string enumerator = extent.name + ",";
    const std::string comment = "  // " + extent.comment;
    lines.add(extent.comment.empty() ? enumerator : fmt::format("{:<{}}{}", enumerator, width, comment), kIndent);
  }
  lines.add("};");
  lines.blank();
}

void print_functor(const kernels::Functor& functor, Lines& lines) {
  if (!functor.comment.empty()) {
    lines.comment(functor.comment);
  }
  lines.add("struct " + functor.name + " {");
  for (const kernels::Member& member : functor.members) {
    lines.add(member.type + " " + member.name + ";", kIndent);
  }
  bool is_first = functor.members.empty();
  for (const kernels::Method& method : functor.methods) {
    if (!is_first) {
      lines.blank();
    }
    is_first = false;
    const size_t line_break = method.signature.find('\n');
    if (line_break != std::string::npos) {
      lines.add(method.signature.substr(0, line_break), kIndent);
    }
    lines.add(method.signature.substr(line_break == std::string::npos ? 0 : line_break + 1) + " {", kIndent);
    for (const std::string& line : method.body) {
      lines.add(line, line.rfind("#pragma", 0) == 0 ? 0 : 2 * kIndent);
    }
    lines.add("}", kIndent);
  }
  lines.add("};");
  lines.blank();
}

}  // namespace

std::string print_step(const StepFile& step) {
  Lines lines;
  print_head(step, lines);
  print_constants(step.code, lines);
  print_enumerators(step.code, lines);
  for (const kernels::Functor& functor : step.code.functors) {
    print_functor(functor, lines);
  }
  lines.add("}  // namespace");
  lines.blank();
  lines.add(fmt::format("extern \"C\" int step_{:02}(const StepArgs* args, cudaStream_t stream) {{", step.index));
  for (const std::string& statement : step.code.launch) {
    lines.add(statement, kIndent);
  }
  lines.add("}");
  return lines.take();
}

}  // namespace stitch::codegen
