// SPDX-License-Identifier: Apache-2.0
#include "codegen/forms/python_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace stitch::codegen {
namespace {

constexpr size_t kColumns = 100;
constexpr const char* kIndent = "            ";

// "{a, b}" on one line where it fits, else one item a line.
std::string braces(const std::vector<std::string>& items) {
  const std::string line = fmt::format("{{{}}}", fmt::join(items, ", "));
  if (line.size() <= kColumns) {
    return line;
  }
  return fmt::format("{{\n{}{},\n        }}", kIndent, fmt::join(items, fmt::format(",\n{}", kIndent)));
}

}  // namespace

std::string python_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
    }
    quoted += c;
  }
  return quoted + "\"";
}

std::string python_bool(bool value) { return value ? "True" : "False"; }

std::string python_tuple(const std::vector<int64_t>& values) {
  return fmt::format("({}{})", fmt::join(values, ", "), values.size() == 1 ? "," : "");
}

std::string python_modes(const std::map<std::string, bool>& modes) {
  std::vector<std::string> items;
  for (const auto& [name, training] : modes) {
    items.push_back(fmt::format("{}: {}", python_string(name), python_bool(training)));
  }
  return braces(items);
}

std::string python_constants(const std::vector<PythonReference::Constant>& constants) {
  std::vector<std::string> items;
  for (const PythonReference::Constant& constant : constants) {
    items.push_back(fmt::format("{}: ({}, {}, {})", python_string(constant.name), python_string(constant.dtype),
                                python_tuple(constant.shape), python_string(constant.base64)));
  }
  return braces(items);
}

}  // namespace stitch::codegen
