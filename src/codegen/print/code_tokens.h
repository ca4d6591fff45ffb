// SPDX-License-Identifier: Apache-2.0
// One statement or signature as words between which a line may break, with what clang-format thinks of each break.
#pragma once

#include <string>
#include <vector>

namespace stitch::codegen {

// As clang-format orders them; a larger one binds tighter. Only those that emitted code has.
enum class Precedence {
  kNone,
  kComma,
  kAssignment,
  kConditional,
  kLogicalOr,
  kLogicalAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEquality,
  kRelational,
  kShift = 12,
  kAdditive,
  kMultiplicative,
};

struct CodeToken {
  std::string text;
  bool follows_blank = false;
  Precedence precedence = Precedence::kNone;  // of an operator, a comma or an assignment
  bool opens = false;
  bool closes = false;
  int nesting = 0;     // brackets around it
  int strength = 1;    // of those brackets: breaks inside of [] and <> are dearer
  size_t partner = 0;  // of an opening bracket, the closing one
  size_t arguments = 0;
  // Operands that start or end here, as if in parentheses.
  std::vector<Precedence> starts;  // outermost first
  int ends = 0;
  bool ends_operation = false;
  // An operator's place among those of its level.
  bool is_first_operator = false;
  bool has_next_operator = false;

  bool can_break_before = false;
  int penalty = 0;  // of a break before it
  bool is_operator() const { return precedence > Precedence::kComma; }
};

// `line` has blanks around its binary operators and nowhere else where a type could be meant.
std::vector<CodeToken> code_tokens(const std::string& line, bool is_signature);

}  // namespace stitch::codegen
