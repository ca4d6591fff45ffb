// SPDX-License-Identifier: Apache-2.0
#include "rubric/source/live_body.h"

#include <cstdlib>
#include <optional>

#include "rubric/source/brackets.h"

namespace stitch::rubric {
namespace {

using Tokens = std::vector<Token>;

// A longer condition is not made of literals alone, by any honest hand; and parts of parts are read by recursion.
constexpr size_t kMaxConditionTokens = 128;

std::optional<double> literal(const Token& token) {
  if (token.is("true") || token.is("false")) {
    return token.is("true") ? 1 : 0;
  }
  return token.kind == Token::Kind::kNumber ? std::optional(std::strtod(token.text.c_str(), nullptr)) : std::nullopt;
}

// The value of a condition that is made of literals; nothing for any other.
std::optional<bool> constant(const Tokens& tokens, const Brackets& brackets, size_t from, size_t to) {
  if (to - from > kMaxConditionTokens) {
    return std::nullopt;
  }
  while (to - from > 2 && tokens[from].is("(") && brackets.closing(from) == to - 1) {
    ++from;
    --to;
  }
  int depth = 0;
  bool has_unknown = false;
  size_t part = from;
  for (size_t i = from; i + 1 < to; ++i) {  // a && b && ...: one false part is enough
    depth += tokens[i].is("(") ? 1 : tokens[i].is(")") ? -1 : 0;
    if (depth == 0 && tokens[i].is("&") && tokens[i + 1].is("&")) {
      const std::optional<bool> value = constant(tokens, brackets, part, i);
      if (value == false) {
        return false;
      }
      has_unknown = has_unknown || !value.has_value();
      part = i + 2;
    }
  }
  if (part != from) {
    const std::optional<bool> last = constant(tokens, brackets, part, to);
    return last == false ? last : has_unknown ? std::nullopt : last;
  }
  if (to - from == 1) {
    const std::optional<double> value = literal(tokens[from]);
    return value.has_value() ? std::optional(*value != 0) : std::nullopt;
  }
  if (to - from == 2 && tokens[from].is("!")) {
    const std::optional<double> value = literal(tokens[from + 1]);
    return value.has_value() ? std::optional(*value == 0) : std::nullopt;
  }
  const bool is_comparison = to - from == 3 || (to - from == 4 && tokens[from + 2].is("="));
  const std::optional<double> left = is_comparison ? literal(tokens[from]) : std::nullopt;
  const std::optional<double> right = is_comparison ? literal(tokens[to - 1]) : std::nullopt;
  if (!left.has_value() || !right.has_value()) {
    return std::nullopt;
  }
  const std::string sign = tokens[from + 1].text + (to - from == 4 ? "=" : "");
  return sign == "<"    ? *left < *right
         : sign == ">"  ? *left > *right
         : sign == "<=" ? *left <= *right
         : sign == ">=" ? *left >= *right
         : sign == "==" ? *left == *right
         : sign == "!=" ? std::optional(*left != *right)
                        : std::nullopt;
}

// Past the statement that begins at `at`.
size_t past_statement(const Tokens& tokens, const Brackets& brackets, size_t at) {
  if (at < tokens.size() && tokens[at].is("{")) {
    return brackets.closing(at) + 1;
  }
  for (size_t i = at; i < tokens.size(); ++i) {
    if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) {
      const bool ends = tokens[i].is("{");
      i = brackets.closing(i);
      const bool goes_on = i + 1 < tokens.size() && tokens[i + 1].is("else");
      if (ends && !goes_on && !(i + 1 < tokens.size() && (tokens[i + 1].is(";") || tokens[i + 1].is(")")))) {
        return i + 1;
      }
    } else if (tokens[i].is(";")) {
      return i + 1;
    } else if (tokens[i].is("}")) {
      return i;
    }
  }
  return tokens.size();
}

bool begins_statement(const Tokens& tokens, size_t at) {
  return at == 0 || tokens[at - 1].is(";") || tokens[at - 1].is("{") || tokens[at - 1].is("}") ||
         tokens[at - 1].kind == Token::Kind::kDirective;
}

// Where to go on after a branch that `at` begins and that is decided by its text; `at` itself when it is not.
size_t past_dead(const Tokens& tokens, const Brackets& brackets, size_t at) {
  if (!tokens[at].is("if") && !tokens[at].is("while")) {
    return at;
  }
  size_t open = at + 1;
  open += open < tokens.size() && tokens[open].is("constexpr") ? 1 : 0;
  if (open >= tokens.size() || !tokens[open].is("(")) {
    return at;
  }
  const size_t close = brackets.closing(open);
  if (close >= tokens.size() || constant(tokens, brackets, open + 1, close) != false) {
    return at;
  }
  const size_t past = past_statement(tokens, brackets, close + 1);
  return past < tokens.size() && tokens[past].is("else") ? past + 1 : past;
}

}  // namespace

std::vector<Token> live_body(const std::vector<Token>& body) {
  Tokens kept;
  const Brackets brackets(body);
  size_t at = 0;
  while (at < body.size()) {
    const size_t past = past_dead(body, brackets, at);
    if (past != at) {
      at = past;
      continue;
    }
    if (body[at].is("return") && begins_statement(body, at)) {
      const size_t end = past_statement(body, brackets, at);
      kept.insert(kept.end(), body.begin() + static_cast<int64_t>(at), body.begin() + static_cast<int64_t>(end));
      at = end;
      while (at < body.size() && !body[at].is("}") && !body[at].is("case") && !body[at].is("default")) {
        at = body[at].is("{") ? brackets.closing(at) + 1 : at + 1;  // what follows in this block cannot run
      }
      continue;
    }
    kept.push_back(body[at++]);
  }
  return kept;
}

}  // namespace stitch::rubric
