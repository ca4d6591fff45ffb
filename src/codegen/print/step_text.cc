// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/step_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/print/lines.h"

namespace stitch::codegen {
namespace {

constexpr int kIndent = 2;

void print_head(const StepFile& step, Lines& lines) {
  lines.comment(fmt::format("{}, step {}: {}", step.program, step.number, step.name));
  lines.add("//");
  for (const std::string& line : step.mathematics) {
    lines.comment("  " + line);
  }
  lines.add("//");
  for (const std::string& line : step.code.description) {
    lines.comment(line);
  }
  lines.comment(fmt::format(
      "In program.cu, at step {}: this program's FLOPs, bytes and time of it, and the setting that was chosen.",
      step.number));
  for (const std::string& include : step.code.includes) {
    lines.add("#include \"" + include + "\"");
  }
  lines.add("#include \"stitch/step.h\"");
  lines.blank();
  lines.add("namespace {");
  lines.blank();
}

struct Declaration {
  std::string text;
  std::string comment;  // may be empty
};

// As wide as the longest text with a comment among its neighbours that have one, too.
size_t comment_column(const std::vector<Declaration>& declarations, size_t at) {
  size_t first = at;
  while (first > 0 && !declarations[first - 1].comment.empty()) {
    --first;
  }
  size_t width = 0;
  for (size_t i = first; i < declarations.size() && !declarations[i].comment.empty(); ++i) {
    width = std::max(width, declarations[i].text.size());
  }
  return width;
}

void print_declarations(const std::vector<Declaration>& declarations, int indent, Lines& lines) {
  for (size_t i = 0; i < declarations.size(); ++i) {
    const auto& [text, comment] = declarations[i];
    lines.add(comment.empty() ? text : fmt::format("{:<{}}  // {}", text, comment_column(declarations, i), comment),
              indent);
  }
}

void print_constants(const kernels::StepCode& code, Lines& lines) {
  std::vector<Declaration> declarations;
  for (const kernels::Constant& constant : code.constants) {
    declarations.push_back({fmt::format("constexpr {} {} = {};", kernels::to_string(constant.value.type), constant.name,
                                        kernels::to_text(constant.value)),
                            constant.comment});
  }
  print_declarations(declarations, 0, lines);
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

void print_extents(const std::vector<kernels::NamedExtent>& extents, Lines& lines) {
  if (extents.empty()) {
    return;
  }
  lines.comment("Sizes, and strides in elements, of a call: StepArgs::extents.");
  lines.add("struct Extents {");
  std::vector<Declaration> declarations;
  for (const kernels::NamedExtent& extent : extents) {
    declarations.push_back({fmt::format("int64_t {};", extent.name), extent.comment});
  }
  print_declarations(declarations, kIndent, lines);
  lines.add("};");
  lines.blank();
}

// A short one stands on one line.
void print_method(const kernels::Method& method, Lines& lines) {
  std::string signature = method.signature;
  if (const size_t line_break = signature.find('\n'); line_break != std::string::npos) {
    lines.add(signature.substr(0, line_break), kIndent);
    signature = signature.substr(line_break + 1);
  }
  if (method.body.size() == 1) {
    const std::string on_one_line = fmt::format("{} {{ {} }}", signature, method.body.front());
    if (kIndent + on_one_line.size() <= kMaxLineLength) {
      lines.add(on_one_line, kIndent);
      return;
    }
  }
  lines.add_signature(signature + " {", kIndent);
  for (const std::string& line : method.body) {
    lines.add(line, line.rfind("#pragma", 0) == 0 ? 0 : 2 * kIndent);
  }
  lines.add("}", kIndent);
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
    print_method(method, lines);
  }
  lines.add("};");
  lines.blank();
}

// Whether `line` goes on with the statement of the line before it, and does not name a field or close a brace.
bool continues(const std::string& before, const std::string& line) {
  return line[0] == ' ' && before.find_last_of(";{}") != before.size() - 1 &&
         line.find_first_not_of(' ') != line.find_first_of(".}");
}

// The launch with every statement on one line.
std::vector<std::string> whole_statements(const std::vector<std::string>& launch) {
  std::vector<std::string> statements;
  for (const std::string& line : launch) {
    if (statements.empty() || !continues(statements.back(), line)) {
      statements.push_back(line);
      continue;
    }
    const char last = statements.back().back();
    statements.back() += (last == '(' || last == '<' ? "" : " ") + line.substr(line.find_first_not_of(' '));
  }
  return statements;
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
  lines.add(fmt::format("extern \"C\" int step_{:02}(const StepArgs* args, cudaStream_t stream) {{", step.number));
  if (!step.code.extents.empty()) {
    lines.add("const auto extents = stitch::extents_of<Extents>(args);", kIndent);
  }
  for (const std::string& statement : whole_statements(step.code.launch)) {
    lines.add(statement, kIndent);
  }
  lines.add("}");
  return lines.take();
}

}  // namespace stitch::codegen
