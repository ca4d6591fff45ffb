// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "rewriter/passes.h"

namespace stitch::rewriter {
namespace {

using Tokens = std::vector<Token>;

// Three adjacent single-character tokens.
bool triple(const Tokens& tokens, size_t at, std::string_view mark) {
  return at + 2 < tokens.size() && tokens[at].is(mark) && tokens[at + 1].is(mark) && tokens[at + 2].is(mark) &&
         tokens[at].end == tokens[at + 1].begin && tokens[at + 1].end == tokens[at + 2].begin;
}

bool is_statement_word(const Token& token) {
  static constexpr std::array<std::string_view, 8> kWords = {"return", "if",   "while", "for",
                                                             "switch", "else", "do",    "case"};
  for (const std::string_view word : kWords) {
    if (token.is(word)) {
      return true;
    }
  }
  return false;
}

// The first token of the expression that ends at `last`: names with their qualifiers and template arguments, members,
// subscripts, calls, and groups in parentheses.
class KernelExpression {
 public:
  explicit KernelExpression(const Tokens& tokens) : tokens_(tokens) {}

  // tokens.size() when no kernel stands before `launch`.
  size_t begin(size_t launch) const {
    const size_t none = tokens_.size();
    if (launch == 0 || tokens_[launch - 1].directive != tokens_[launch].directive) {
      return none;
    }
    size_t at = primary(launch - 1);
    while (at != none && at > 0 && tokens_[at - 1].directive == tokens_[at].directive) {
      const Token& before = tokens_[at - 1];
      if (before.is("::") || before.is(".") || before.is("->") || before.is("##")) {
        const bool more = at >= 2 && joins(at - 2);
        at = more ? primary(at - 2) : at - 1;
      } else if (before.is("template")) {
        at = at - 1;
      } else {
        break;
      }
    }
    return at;
  }

 private:
  // Whether a token can end what stands before `::`, `.` or `->`.
  bool joins(size_t at) const {
    const Token& token = tokens_[at];
    return (token.kind == TokenKind::kIdentifier && !is_statement_word(token)) || token.is(">") || token.is(")") ||
           token.is("]");
  }

  size_t primary(size_t last) const {
    const size_t none = tokens_.size();
    const Token& token = tokens_[last];
    if (token.kind == TokenKind::kIdentifier) {
      return last;
    }
    const bool angle = token.is(">");
    if (!angle && !token.is(")") && !token.is("]")) {
      return none;
    }
    const size_t open = angle ? opening_angle(tokens_, last) : opening(tokens_, last);
    if (open == none) {
      return none;
    }
    // What a subscript, an argument list or a template list belongs to.
    const bool has_owner = open > 0 && tokens_[open - 1].directive == tokens_[open].directive && joins(open - 1) &&
                           !(token.is(")") && tokens_[open - 1].is(")"));
    if (has_owner) {
      return primary(open - 1);
    }
    return token.is(")") ? open : none;
  }

  const Tokens& tokens_;
};

// The `>>>` that ends the configuration: outside brackets, after at least one comma, before an argument list.
size_t configuration_end(const Tokens& tokens, size_t begin) {
  bool comma = false;
  for (size_t i = begin; i < tokens.size() && tokens[i].directive == tokens[begin].directive; ++i) {
    if (tokens[i].is("(") || tokens[i].is("[") || tokens[i].is("{")) {
      i = closing(tokens, i);
      continue;
    }
    comma |= tokens[i].is(",") || tokens[i].kind == TokenKind::kIdentifier;
    if (comma && triple(tokens, i, ">") && i + 3 < tokens.size() && tokens[i + 3].is("(")) {
      return i;
    }
    if (tokens[i].is(";")) {
      break;
    }
  }
  return tokens.size();
}

// nullptr converts to every pointer parameter; NULL's integer, once in a lambda's `auto`, does not.
void rewrite_null_arguments(const Tokens& tokens, size_t open, Changes& changes) {
  const size_t close = closing(tokens, open);
  for (size_t i = open; i < close && i < tokens.size(); ++i) {
    if (tokens[i].is("NULL")) {
      changes.replace(tokens[i].begin, tokens[i].end, "nullptr");
    }
  }
}

}  // namespace

void rewrite_launches(const TokenList& list, const std::vector<Place>& places, Changes& changes) {
  const Tokens& tokens = list.tokens;
  const KernelExpression expression(tokens);
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!triple(tokens, i, "<") || places[i].inactive || (i > 0 && tokens[i - 1].is("operator"))) {
      continue;
    }
    const int line = tokens[i].line;
    if (places[i].device) {
      changes.refuse(line, "a kernel launches a kernel; dynamic parallelism is not supported on the emulated device");
      continue;
    }
    const size_t end = configuration_end(tokens, i + 3);
    const size_t kernel = expression.begin(i);
    if (end == tokens.size() || kernel == tokens.size()) {
      changes.refuse(line, "this kernel launch could not be read; write it as kernel<<<grid, block>>>(arguments)");
      continue;
    }
    changes.insert(tokens[kernel].begin, "STITCH_LAUNCH((");
    changes.replace(tokens[i].begin, tokens[i + 2].end, "), ");
    changes.replace(tokens[end].begin, tokens[end + 2].end, ")");
    rewrite_null_arguments(tokens, end + 3, changes);
    i = end + 2;
  }
}

}  // namespace stitch::rewriter
