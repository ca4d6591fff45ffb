// SPDX-License-Identifier: Apache-2.0
#include "kernels/code/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace stitch::kernels {
namespace {

// Words that a local variable, member or type of emitted code must not be called.
constexpr std::string_view kReserved[] = {
    "alignas",  "alignof",   "and",       "asm",      "auto",      "bool",      "break",     "case",     "catch",
    "char",     "class",     "concept",   "const",    "consteval", "constexpr", "constinit", "continue", "decltype",
    "default",  "delete",    "do",        "double",   "else",      "enum",      "explicit",  "export",   "extern",
    "false",    "float",     "for",       "friend",   "goto",      "if",        "inline",    "int",      "int64_t",
    "long",     "mutable",   "namespace", "new",      "noexcept",  "not",       "nullptr",   "operator", "or",
    "private",  "protected", "public",    "register", "requires",  "return",    "short",     "signed",   "sizeof",
    "static",   "struct",    "switch",    "template", "this",      "throw",     "true",      "try",      "typedef",
    "typeid",   "typename",  "union",     "unsigned", "using",     "virtual",   "void",      "volatile", "while",
    "xor",      "main",      "stitch",    "args",     "stream",    "threadIdx", "blockIdx",  "blockDim", "gridDim",
    "warpSize", "StepArgs",  "NAN",       "INFINITY"};

constexpr auto kSortedReserved = [] {
  std::array<std::string_view, std::size(kReserved)> words{};
  std::copy(std::begin(kReserved), std::end(kReserved), words.begin());
  std::sort(words.begin(), words.end());
  return words;
}();

bool is_reserved(std::string_view name) {
  return std::binary_search(kSortedReserved.begin(), kSortedReserved.end(), name);
}

}  // namespace

std::string pascal_case(std::string_view snake) {
  std::string result;
  bool starts_word = true;
  for (const char c : snake) {
    if (c == '_') {
      starts_word = true;
      continue;
    }
    result += starts_word ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    starts_word = false;
  }
  return result.empty() ? "Value" : result;
}

std::string constant_name(std::string_view snake) { return "k" + pascal_case(snake); }

NameTable::NameTable() = default;

std::string NameTable::take(const std::string& wanted) {
  const auto [namesake, is_new] = taken_.try_emplace(wanted, 2);
  if (is_new && !is_reserved(wanted)) {
    return wanted;
  }
  int& number = namesake->second;  // elements of the map stay where they are
  std::string name;
  do {
    name = wanted + "_" + std::to_string(number);
    ++number;
  } while (is_reserved(name) || !taken_.try_emplace(name, 2).second);
  return name;
}

}  // namespace stitch::kernels
