// SPDX-License-Identifier: Apache-2.0
#include "codegen/print/initialiser.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stitch::codegen {
namespace {

constexpr size_t kIndentColumns = 4;

std::string joined(const std::vector<Field>& fields, const std::string& between) {
  std::string text;
  for (const Field& field : fields) {
    text += text.empty() ? "" : between;
    text += field.name.empty() ? field.value : "." + field.name + " = " + field.value;
  }
  return "{" + text + "}";
}

std::string list_text(const std::string& head, const std::vector<std::string>& elements) {
  return fmt::format("{}[] = {{{}}};", head, elements.empty() ? "0" : fmt::format("{}", fmt::join(elements, ", ")));
}

}  // namespace

std::string braced(const std::vector<Field>& fields, size_t column, size_t after) {
  const std::string on_one_line = joined(fields, ", ");
  const bool fits =
      on_one_line.find('\n') == std::string::npos && column + on_one_line.size() + after <= kMaxLineLength;
  return fits ? on_one_line : joined(fields, ",\n" + std::string(column + 1, ' '));
}

void add_table(const std::string& head, const std::vector<std::vector<Field>>& rows, Lines& lines) {
  lines.add(head + "[] = {");
  for (const std::vector<Field>& row : rows) {
    lines.as_is(std::string(kIndentColumns, ' ') + braced(row, kIndentColumns, 1) + ",");
  }
  lines.add("};");
}

void add_table(const std::string& head, const std::vector<CommentedElement>& elements, Lines& lines) {
  size_t width = 0;
  for (const CommentedElement& element : elements) {
    width = std::max(width, element.text.size() + 1);
  }
  lines.add(head + "[] = {");
  for (const CommentedElement& element : elements) {
    lines.as_is(fmt::format("{:{}}{:<{}}  // {}", "", kIndentColumns, element.text + ",", width, element.comment));
  }
  lines.add("};");
}

void add_list(const std::string& head, const std::vector<std::string>& elements, Lines& lines) {
  lines.as_is(list_text(head, elements));
}

bool fits_on_a_line(const std::string& head, const std::vector<std::string>& elements) {
  return list_text(head, elements).size() <= kMaxLineLength;
}

}  // namespace stitch::codegen
