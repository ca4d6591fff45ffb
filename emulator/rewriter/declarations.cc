// SPDX-License-Identifier: Apache-2.0
#include "rewriter/passes.h"

namespace stitch::rewriter {
namespace {

using Tokens = std::vector<Token>;

struct Statement {
  bool has_linkage = false;  // says static, extern, inline, constexpr, friend or the like
  bool is_template = false;
  bool is_special = false;  // an explicit specialisation or instantiation, which takes no storage class
  bool host = false;
  bool qualified = false;  // a member defined outside its class
};

// Reads from the statement's start to the `(`, `=`, `[`, `{` or `;` that ends its declarator.
Statement read_statement(const Tokens& tokens, size_t first) {
  Statement statement;
  for (size_t i = first; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is("__align__") || token.is("alignas") || token.is("__attribute__") || token.is("__launch_bounds__") ||
        token.is("decltype")) {
      i = closing(tokens, i + 1);
      continue;
    }
    if (token.is("(") || token.is("=") || token.is("[") || token.is("{") || token.is(";")) {
      if (token.is("(") && i >= 2 && tokens[i - 2].is("::")) {
        statement.qualified = true;
      }
      break;
    }
    if (token.is("<")) {
      const size_t close = closing_angle(tokens, i);
      i = close < tokens.size() ? close : i;
      continue;
    }
    for (const char* word : {"static", "extern", "inline", "__inline__", "__forceinline__", "constexpr", "friend",
                             "operator", "typedef", "using", "consteval", "struct", "class", "namespace"}) {
      statement.has_linkage |= token.is(word);
    }
    if (token.is("template")) {
      statement.is_template = true;
      statement.is_special |= i + 2 >= tokens.size() || !tokens[i + 1].is("<") || tokens[i + 2].is(">");
    }
    statement.host |= token.is("__host__");
  }
  return statement;
}

bool is_device_word(const Token& token) {
  return token.is("__device__") || token.is("__constant__") || token.is("__managed__");
}

}  // namespace

void rewrite_declarations(const TokenList& list, const std::vector<Place>& places, Changes& changes) {
  const Tokens& tokens = list.tokens;
  size_t last_statement = tokens.size();
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (places[i].inactive) {
      continue;
    }
    const bool bare_return = token.is("return") && i + 1 < tokens.size() && tokens[i + 1].is(";") &&
                             tokens[i + 1].directive == token.directive;
    if (bare_return && (places[i].kernel || token.directive >= 0)) {
      changes.replace(token.begin, token.end, "return ::stitch_emulator::early_return()");
    }
    if (token.directive >= 0 || !(is_device_word(token) || token.is("__global__")) ||
        places[i].scope != ScopeKind::kNamespace || places[i].statement == last_statement) {
      continue;
    }
    last_statement = places[i].statement;
    const Statement statement = read_statement(tokens, last_statement);
    const bool outside = statement.has_linkage || statement.host || statement.qualified || statement.is_special ||
                         (token.is("__global__") && !statement.is_template);
    if (!outside) {
      // Not at the statement's start, where template parameters and attributes may stand.
      changes.insert(token.begin, "static ");
    }
  }
}

}  // namespace stitch::rewriter
