// SPDX-License-Identifier: Apache-2.0
#include "runs/query/condition.h"

#include <fmt/format.h>

namespace stitch::runs {
namespace {

// Without it `not steps<3` would leave out what has no steps: NULL is neither true nor false.
std::string never_null(const std::string& expression) { return "COALESCE(" + expression + ", 0)"; }

std::string sql_none(const Comparison& comparison, const std::string& column) {
  const std::string empty = "(" + column + " IS NULL OR " + column + " = '')";
  return comparison.relation == Relation::kUnequal ? "NOT " + empty : empty;
}

std::string sql_comparison(const Comparison& comparison, int64_t now, std::vector<SqlValue>* values) {
  std::string column(comparison.field->column);
  if (!comparison.option.empty()) {
    values->emplace_back("$.\"" + comparison.option + "\"");  // a name of letters, digits, - and _ alone
    column = "json_extract(options, ?)";
  }
  if (std::holds_alternative<std::monostate>(comparison.value)) {
    const bool twice = !comparison.option.empty();
    if (twice) {
      values->push_back(values->back());
    }
    return sql_none(comparison, column);
  }
  if (comparison.field->kind == FieldKind::kAge) {
    values->emplace_back(static_cast<double>(now));
    column = "(? - " + column + ")";
  }
  if (const auto* text = std::get_if<std::string>(&comparison.value)) {
    if (comparison.relation == Relation::kContains) {
      values->emplace_back(*text);
      return never_null("instr(lower(" + column + "), lower(?)) > 0");
    }
    if (comparison.field->kind == FieldKind::kTime) {
      column = fmt::format("substr({}, 1, {})", column, text->size());
    }
    values->emplace_back(*text);
  } else {
    values->emplace_back(std::get<double>(comparison.value));
  }
  return never_null(fmt::format("{} {} ?", column, to_string(comparison.relation)));
}

std::string sql_of(const Condition& condition, int64_t now, std::vector<SqlValue>* values) {
  switch (condition.kind) {
    case Condition::Kind::kComparison:
      return sql_comparison(condition.comparison, now, values);
    case Condition::Kind::kNot:
      return "NOT (" + sql_of(condition.parts.front(), now, values) + ")";
    case Condition::Kind::kAll:
    case Condition::Kind::kAny:
      break;
  }
  std::string text;
  for (const Condition& part : condition.parts) {
    text += text.empty() ? "" : condition.kind == Condition::Kind::kAll ? " AND " : " OR ";
    text += "(" + sql_of(part, now, values) + ")";
  }
  return text.empty() ? "1" : text;
}

std::string value_text(const Comparison& comparison) {
  if (const auto* text = std::get_if<std::string>(&comparison.value)) {
    return fmt::format("\"{}\"", *text);
  }
  const auto* number = std::get_if<double>(&comparison.value);
  return number == nullptr ? "none" : fmt::format("{}", *number);
}

}  // namespace

const char* to_string(Relation relation) {
  constexpr const char* kTexts[] = {"=", "!=", "<", ">", "<=", ">=", "~"};
  return kTexts[static_cast<size_t>(relation)];
}

std::string to_text(const Condition& condition) {
  const Comparison& comparison = condition.comparison;
  switch (condition.kind) {
    case Condition::Kind::kComparison:
      return fmt::format("({} {} {})",
                         comparison.option.empty() ? std::string(comparison.field->name)
                                                   : std::string(kOptionPrefix) + comparison.option,
                         to_string(comparison.relation), value_text(comparison));
    case Condition::Kind::kNot:
      return "(not " + to_text(condition.parts.front()) + ")";
    case Condition::Kind::kAll:
    case Condition::Kind::kAny:
      break;
  }
  std::string text;
  for (const Condition& part : condition.parts) {
    text += (text.empty() ? "" : condition.kind == Condition::Kind::kAll ? " and " : " or ") + to_text(part);
  }
  return "(" + text + ")";
}

SqlCondition to_sql(const Condition& condition, int64_t now) {
  SqlCondition sql;
  sql.text = sql_of(condition, now, &sql.values);
  return sql;
}

}  // namespace stitch::runs
