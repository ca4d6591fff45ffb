// SPDX-License-Identifier: Apache-2.0
// Which runs are meant: "verdict=verified and (math=tf32 or age<7d)".
//
//     condition   = all { "or" all }
//     all         = one { "and" one }
//     one         = "not" one | "(" condition ")" | FIELD ("=" | "!=" | "<" | ">" | "<=" | ">=" | "~") VALUE
//
// A value is a word, or a text in quotes of either kind; the word none is what is not there. ~ is "contains", whatever
// the case of its letters.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "base/error/result.h"
#include "runs/query/values.h"

namespace stitch::runs {

enum class Relation { kEqual, kUnequal, kLess, kGreater, kLessOrEqual, kGreaterOrEqual, kContains };

// "=", "!="...
const char* to_string(Relation relation);

struct Comparison {
  const Field* field = nullptr;
  std::string option{};  // the name after "option."
  Relation relation = Relation::kEqual;
  ComparedValue value{};
};

struct Condition {
  enum class Kind { kComparison, kAll, kAny, kNot };
  Kind kind = Kind::kAll;  // of no parts: every run
  Comparison comparison{};
  std::vector<Condition> parts{};
};

// kUsage, and where in the text, for one that cannot be understood.
Result<Condition> parse_condition(const std::string& text);

// With parentheses around all that has parts: ((verdict = "verified") and (age < 604800)).
std::string to_text(const Condition& condition);

using SqlValue = std::variant<std::string, double>;

// An expression of SQL with ? for each value, in their order. No text of the user's is in it.
struct SqlCondition {
  std::string text{};
  std::vector<SqlValue> values{};
};
SqlCondition to_sql(const Condition& condition, int64_t now);

}  // namespace stitch::runs
