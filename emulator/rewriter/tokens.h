// SPDX-License-Identifier: Apache-2.0
// A CUDA source as tokens: enough of C++'s lexical rules that strings, comments and numbers are never mistaken for
// code.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace stitch::rewriter {

enum class TokenKind { kIdentifier, kNumber, kString, kCharacter, kPunctuation };

// Comments, white space and line splices lie between tokens. `<` and `>` are always single tokens.
struct Token {
  TokenKind kind;
  size_t begin;
  size_t end;
  int line;
  int directive;  // which preprocessor directive the token belongs to, -1 for none
  std::string_view text;

  bool is(std::string_view other) const { return text == other && kind != TokenKind::kString; }
};

// A preprocessor directive's tokens are tokens[first, last), beginning after the `#`.
struct Directive {
  size_t begin;  // of the '#'
  size_t end;    // of the line, before its newline
  int line;
  size_t first;
  size_t last;
};

struct TokenList {
  std::string_view source;
  std::vector<Token> tokens;
  std::vector<Directive> directives;
};

// The views lead into `source`, which must outlive the list.
TokenList tokenise(std::string_view source);

// The index of the token that closes the bracket at `open`, or tokens.size(). Stays inside one directive.
size_t closing(const std::vector<Token>& tokens, size_t open);
// The index of the token that opens the bracket at `close`, or tokens.size().
size_t opening(const std::vector<Token>& tokens, size_t close);
// For template argument lists, where brackets of all kinds nest.
size_t closing_angle(const std::vector<Token>& tokens, size_t open);
size_t opening_angle(const std::vector<Token>& tokens, size_t close);

}  // namespace stitch::rewriter
