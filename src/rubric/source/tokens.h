// SPDX-License-Identifier: Apache-2.0
// C++ and CUDA text as tokens, without comments; and without what the preprocessor leaves out.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace stitch::rubric {

struct Token {
  enum class Kind { kWord, kNumber, kText, kSymbol, kDirective };  // kText: a string or a character
  Kind kind = Kind::kSymbol;
  std::string text;  // of a directive: its whole logical line, without comments
  int line = 0;

  bool is(const char* wanted) const { return text == wanted && kind != Kind::kText; }
};

// Whether tokens[at] is there and reads `text`.
bool is_at(const std::vector<Token>& tokens, size_t at, const char* text);

// Never fails: what is no C++ becomes symbols.
std::vector<Token> tokens_of(const std::string& text);

// Names that the text defines by #define.
std::set<std::string> defined_names(const std::vector<Token>& tokens);

// Without the branches that no compilation takes: `#if 0`, and `#ifdef NAME` of a name that neither `defined` holds
// nor a compiler or build gives. Conditions that are not understood keep all their branches.
std::vector<Token> without_left_out(const std::vector<Token>& tokens, const std::set<std::string>& defined);

}  // namespace stitch::rubric
