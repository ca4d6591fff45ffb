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

void print_tensors(const kernels::StepCode& code, Lines& lines) {
  lines.comment("Places in StepArgs::tensors: what is read, then what is written.");
  lines.add("enum Tensor {");
  for (const kernels::NamedTensor& tensor : code.tensors) {
    lines.add(tensor.name + ",", kIndent);
  }
  lines.add("};");
  lines.blank();
}

// As wide as the longest name with a comment among its neighbours that have one, too.
size_t comment_column(const std::vector<kernels::NamedExtent>& extents, size_t at) {
  size_t first = at;
  while (first > 0 && !extents[first - 1].comment.empty()) {
    --first;
  }
  size_t width = 0;
  for (size_t i = first; i < extents.size() && !extents[i].comment.empty(); ++i) {
    width = std::max(width, extents[i].name.size() + 1);
  }
  return width;
}

void print_extents(const std::vector<kernels::NamedExtent>& extents, Lines& lines) {
  if (extents.empty()) {
    return;
  }
  lines.comment("Sizes, and strides in elements, of a call: StepArgs::extents.");
  lines.add("struct Extents {");
  for (size_t i = 0; i < extents.size(); ++i) {
    const std::string name = extents[i].name + ";";
    const std::string& comment = extents[i].comment;
    lines.add(comment.empty() ? "int64_t " + name
                              : fmt::format("int64_t {:<{}}  // {}", name, comment_column(extents, i), comment),
              kIndent);
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
  print_tensors(step.code, lines);
  print_extents(step.code.extents, lines);
  for (const kernels::Functor& functor : step.code.functors) {
    print_functor(functor, lines);
  }
  lines.add("}  // namespace");
  lines.blank();
  lines.add(fmt::format("extern \"C\" int step_{:02}(const StepArgs* args, cudaStream_t stream) {{", step.index));
  if (!step.code.extents.empty()) {
    lines.add("const auto extents = stitch::extents_of<Extents>(args);", kIndent);
  }
  for (const std::string& statement : step.code.launch) {
    lines.add(statement, kIndent);
  }
  lines.add("}");
  return lines.take();
}

}  // namespace stitch::codegen
