// SPDX-License-Identifier: Apache-2.0
#include "toolchain/source/step_form.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <vector>

namespace stitch::toolchain {
namespace {

using Tokens = std::vector<std::string_view>;

constexpr std::array<std::string_view, 14> kTypes = {"float",    "double",  "bool",    "int",     "int64_t",
                                                     "int32_t",  "int16_t", "int8_t",  "uint8_t", "uint32_t",
                                                     "uint64_t", "auto",    "__half",  "__nv_bfloat16"};
constexpr std::array<std::string_view, 6> kBetween = {"*", "&", "const", "__restrict__", "constexpr", "volatile"};
constexpr std::array<std::string_view, 7> kAfterName = {";", "=", ",", ")", "{", "[", ":"};
// Reserved names that do not say where they stand, and keep nothing.
constexpr std::array<std::string_view, 7> kReserved = {"__device__",   "__global__", "__forceinline__", "__half",
                                                       "__restrict__", "__host__",   "__nv_bfloat16"};
constexpr std::array<std::string_view, 4> kRefused = {"static", "asm", "thread_local", "typeid"};

template <size_t kCount>
bool is_one_of(std::string_view token, const std::array<std::string_view, kCount>& all) {
  return std::find(all.begin(), all.end(), token) != all.end();
}

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool goes_on(char c) { return begins_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

size_t end_of_word(std::string_view source, size_t at) {
  const bool is_number = !begins_name(source[at]);
  while (at < source.size() && (goes_on(source[at]) || (is_number && (source[at] == '.' || source[at] == '\'')))) {
    ++at;
  }
  return at;
}

// Nothing where a string or a comment does not end, or lines are spliced.
std::optional<Tokens> tokens_of(std::string_view source) {
  Tokens tokens;
  for (size_t at = 0; at < source.size();) {
    const char c = source[at];
    size_t end = at + 1;
    if (c == '\\' || c == '\'') {
      return std::nullopt;
    }
    if (source.substr(at, 2) == "//" || source.substr(at, 2) == "/*") {
      const bool is_line = source[at + 1] == '/';
      end = source.find(is_line ? "\n" : "*/", at + 2);
      if (end == std::string_view::npos) {
        return std::nullopt;
      }
      at = end + (is_line ? 1 : 2);
      continue;
    }
    if (c == '"') {
      end = source.find_first_of("\"\n", at + 1);
      if (end == std::string_view::npos || source[end] == '\n') {
        return std::nullopt;
      }
      ++end;
    } else if (goes_on(c)) {
      end = end_of_word(source, at);
    } else if (source.substr(at, 2) == "::") {
      end = at + 2;
    }
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      tokens.push_back(source.substr(at, end - at));
    }
    at = end;
  }
  return tokens;
}

std::string_view at(const Tokens& tokens, size_t index) {
  return index < tokens.size() ? tokens[index] : std::string_view();
}

// `float* name =`, `const int64_t name;`
bool is_typed(const Tokens& tokens, size_t index) {
  size_t before = index;
  while (before > 0 && is_one_of(tokens[before - 1], kBetween)) {
    --before;
  }
  return before > 0 && is_one_of(tokens[before - 1], kTypes) && is_one_of(at(tokens, index + 1), kAfterName);
}

Names declared_in(const Tokens& tokens) {
  Names declared;
  bool in_enumerators = false;
  for (size_t i = 1; i < tokens.size(); ++i) {
    in_enumerators = tokens[i] == "{" ? i >= 2 && tokens[i - 2] == "enum" : in_enumerators && tokens[i] != "}";
    if (!begins_name(tokens[i].front())) {
      continue;
    }
    const bool is_listed = in_enumerators && (at(tokens, i + 1) == "," || at(tokens, i + 1) == "}");
    if (tokens[i - 1] == "struct" || tokens[i - 1] == "enum" || is_listed || is_typed(tokens, i)) {
      declared.emplace(tokens[i]);
    }
  }
  return declared;
}

// Of what is declared, that which is nobody else's. What is called or qualified may be.
Names own_names(const Tokens& tokens, const Names& elsewhere) {
  Names own = declared_in(tokens);
  std::erase_if(own, [&](const std::string& name) {
    return elsewhere.contains(name) || name.front() == '_' || name.find("__") != std::string::npos;
  });
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool is_qualified = at(tokens, i + 1) == "::" || (i > 0 && tokens[i - 1] == "::");
    if (is_qualified || at(tokens, i + 1) == "(") {
      own.erase(std::string(tokens[i]));
    }
  }
  return own;
}

// `__device__` is said of functions alone: a variable is state, which steps of one form would share.
bool is_function(const Tokens& tokens, size_t index) {
  for (; index < tokens.size() && tokens[index] != "("; ++index) {
    if (tokens[index] == ";" || tokens[index] == "=" || tokens[index] == "{" || tokens[index] == "[") {
      return false;
    }
  }
  return index < tokens.size();
}

// The place of the name in `extern "C" int name(`, the only thing that others see.
std::optional<size_t> function_place(const Tokens& tokens) {
  std::optional<size_t> place;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i] != "extern") {
      continue;
    }
    const bool is_ours = at(tokens, i + 1) == "\"C\"" && at(tokens, i + 2) == "int" && at(tokens, i + 4) == "(";
    if (place.has_value() || !is_ours) {
      return std::nullopt;
    }
    place = i + 3;
  }
  const bool is_alone = place.has_value() && std::count(tokens.begin(), tokens.end(), tokens[*place]) == 1;
  return is_alone ? place : std::nullopt;
}

bool is_plain(const Tokens& tokens) {
  for (size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view token = tokens[i];
    const bool is_name = begins_name(token.front());
    const bool is_reserved = is_name && token.find("__") != std::string_view::npos;
    if ((token == "#" && at(tokens, i + 1) != "include") || (is_reserved && !is_one_of(token, kReserved)) ||
        is_one_of(token, kRefused) || (token == "__device__" && !is_function(tokens, i))) {
      return false;
    }
  }
  return true;
}

}  // namespace

Names names_in(std::string_view source) {
  Names names;
  for (size_t i = 0; i < source.size();) {
    const size_t end = goes_on(source[i]) ? end_of_word(source, i) : i + 1;
    if (begins_name(source[i])) {
      names.emplace(source.substr(i, end - i));
    }
    i = end;
  }
  return names;
}

std::optional<StepForm> step_form(std::string_view source, const Names& elsewhere) {
  const std::optional<Tokens> tokens = tokens_of(source);
  const std::optional<size_t> function = tokens.has_value() ? function_place(*tokens) : std::nullopt;
  if (!function.has_value() || !is_plain(*tokens)) {
    return std::nullopt;
  }
  const Names own = own_names(*tokens, elsewhere);
  std::map<std::string_view, size_t> numbers;
  StepForm form{.text = {}, .function = std::string((*tokens)[*function])};
  for (size_t i = 0; i < tokens->size(); ++i) {
    const std::string_view token = (*tokens)[i];
    if (i == *function) {
      form.text += "@function";
    } else if (own.contains(token)) {
      form.text += "@" + std::to_string(numbers.emplace(token, numbers.size()).first->second);
    } else {
      form.text += token;
    }
    form.text += '\n';
  }
  return form;
}

}  // namespace stitch::toolchain
