// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "base/text/edit_distance.h"
#include "runs/query/condition.h"
#include "runs/query/values.h"

namespace stitch::runs {
namespace {

// Far beyond what anybody writes, and within what SQLite and our own stack take.
constexpr size_t kMaxBytes = 4096;
constexpr int kMaxDepth = 50;
constexpr size_t kMaxComparisons = 100;

struct Word {
  enum class Kind { kWord, kQuoted, kRelation, kOpen, kClose, kEnd };
  Kind kind = Kind::kEnd;
  std::string text{};
  size_t at = 0;  // of its first byte
};

Unexpected at_column(size_t at, const std::string& message) {
  return failure(ErrorCode::kUsage, message, fmt::format("column {}", at + 1),
                 "write it like: math=tf32 and (age<7d or time_us<80)");
}

bool is_space(char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; }
bool is_of_word(char letter) {
  return !is_space(letter) && std::string_view("()=!<>~'\"").find(letter) == std::string_view::npos;
}

Result<Word> quoted_word(const std::string& text, size_t at) {
  const size_t end = text.find(text[at], at + 1);
  if (end == std::string::npos) {
    return at_column(at, fmt::format("the quote {} is never closed", text[at]));
  }
  return Word{Word::Kind::kQuoted, text.substr(at + 1, end - at - 1), at};
}

Result<Word> word_at(const std::string& text, size_t at) {
  const char first = text[at];
  if (first == '(' || first == ')') {
    return Word{first == '(' ? Word::Kind::kOpen : Word::Kind::kClose, std::string(1, first), at};
  }
  if (first == '\'' || first == '"') {
    return quoted_word(text, at);
  }
  for (const char* relation : {"!=", "<=", ">=", "=", "<", ">", "~"}) {
    if (text.compare(at, std::string_view(relation).size(), relation) == 0) {
      return Word{Word::Kind::kRelation, relation, at};
    }
  }
  size_t end = at;
  while (end < text.size() && is_of_word(text[end])) {
    ++end;
  }
  if (end == at) {
    return at_column(at, fmt::format("'{}' is no comparison: there are = != < > <= >= ~", first));
  }
  return Word{Word::Kind::kWord, text.substr(at, end - at), at};
}

Result<std::vector<Word>> words_of(const std::string& text) {
  std::vector<Word> words;
  size_t at = 0;
  while (at < text.size()) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    STITCH_ASSIGN(Word word, word_at(text, at));
    at += word.text.size() + (word.kind == Word::Kind::kQuoted ? 2 : 0);
    words.push_back(std::move(word));
  }
  words.push_back({Word::Kind::kEnd, "", text.size()});
  return words;
}

bool is_option_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
  });
}

Unexpected no_field(const Word& word) {
  const std::vector<std::string> names = field_names();
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const auto& a, const auto& b) {
    return edit_distance(a, word.text) < edit_distance(b, word.text);
  });
  const bool is_near = 2 * edit_distance(*nearest, word.text) <= word.text.size();
  return at_column(word.at,
                   fmt::format("runs have no '{}'{}; they have {}", word.text,
                               is_near ? fmt::format(" (did you mean {}?)", *nearest) : "", fmt::join(names, ", ")));
}

class Parser {
 public:
  explicit Parser(std::vector<Word> words) : words_(std::move(words)) {}

  Result<Condition> parse() {
    STITCH_ASSIGN(Condition condition, any(0));
    if (next().kind != Word::Kind::kEnd) {
      return at_column(next().at, fmt::format("after a comparison comes and, or, or the end, not '{}'", next().text));
    }
    return condition;
  }

 private:
  const Word& next() const { return words_[at_]; }
  const Word& take() { return words_[at_ + 1 < words_.size() ? at_++ : at_]; }
  bool is_next(const char* keyword) const { return next().kind == Word::Kind::kWord && next().text == keyword; }

  Result<Condition> any(int depth) {
    return joined("or", Condition::Kind::kAny, [&] { return all(depth); });
  }
  Result<Condition> all(int depth) {
    return joined("and", Condition::Kind::kAll, [&] { return one(depth); });
  }

  template <typename Part>
  Result<Condition> joined(const char* keyword, Condition::Kind kind, const Part& part) {
    STITCH_ASSIGN(Condition first, part());
    if (!is_next(keyword)) {
      return first;
    }
    Condition whole;
    whole.kind = kind;
    whole.parts.push_back(std::move(first));
    while (is_next(keyword)) {
      take();
      STITCH_ASSIGN(Condition another, part());
      whole.parts.push_back(std::move(another));
    }
    return whole;
  }

  Result<Condition> one(int depth) {
    if (depth > kMaxDepth) {
      return at_column(next().at, fmt::format("more than {} parentheses or nots are in each other", kMaxDepth));
    }
    if (is_next("not")) {
      take();
      STITCH_ASSIGN(Condition part, one(depth + 1));
      Condition whole;
      whole.kind = Condition::Kind::kNot;
      whole.parts.push_back(std::move(part));
      return whole;
    }
    if (next().kind == Word::Kind::kOpen) {
      const size_t at = take().at;
      STITCH_ASSIGN(Condition inside, any(depth + 1));
      if (take().kind != Word::Kind::kClose) {
        return at_column(at, "this ( has no ) after its condition");
      }
      return inside;
    }
    return comparison();
  }

  Result<Condition> comparison() {
    const Word name = take();
    if (name.kind != Word::Kind::kWord) {
      return at_column(name.at, name.kind == Word::Kind::kEnd
                                    ? std::string("a comparison is missing")
                                    : fmt::format("a field's name is missing in front of '{}'", name.text));
    }
    Condition condition;
    condition.kind = Condition::Kind::kComparison;
    STITCH_TRY(name_field(name, &condition.comparison));
    STITCH_TRY(read_relation(name, &condition.comparison));
    const Word value = take();
    if (value.kind != Word::Kind::kWord && value.kind != Word::Kind::kQuoted) {
      return at_column(value.at, fmt::format("a value is missing after {} {}; quotes hold an empty one", name.text,
                                             to_string(condition.comparison.relation)));
    }
    STITCH_TRY(read_value(value, &condition.comparison));
    if (++comparisons_ > kMaxComparisons) {
      return at_column(name.at, fmt::format("there are more than {} comparisons", kMaxComparisons));
    }
    return condition;
  }

  static Result<void> name_field(const Word& word, Comparison* comparison) {
    if (word.text.starts_with(kOptionPrefix) && is_option_name(word.text.substr(kOptionPrefix.size()))) {
      comparison->field = &option_field();
      comparison->option = word.text.substr(kOptionPrefix.size());
      return {};
    }
    comparison->field = find_field(word.text);
    return comparison->field == nullptr ? Result<void>(no_field(word)) : Result<void>();
  }

  Result<void> read_relation(const Word& name, Comparison* comparison) {
    constexpr std::array kRelations = {Relation::kEqual,   Relation::kUnequal,     Relation::kLess,
                                       Relation::kGreater, Relation::kLessOrEqual, Relation::kGreaterOrEqual,
                                       Relation::kContains};
    const Word word = take();
    const auto* found =
        std::find_if(kRelations.begin(), kRelations.end(), [&](Relation each) { return word.text == to_string(each); });
    if (word.kind != Word::Kind::kRelation || found == kRelations.end()) {
      return at_column(word.at, fmt::format("after {} comes = != < > <= >= or ~", name.text));
    }
    comparison->relation = *found;
    const FieldKind kind = comparison->field->kind;
    const bool is_order = *found != Relation::kEqual && *found != Relation::kUnequal && *found != Relation::kContains;
    if (*found == Relation::kContains && kind != FieldKind::kText && kind != FieldKind::kState &&
        kind != FieldKind::kTime) {
      return at_column(word.at, fmt::format("~ asks what a text contains, and {} is none", name.text));
    }
    if (is_order && kind == FieldKind::kState) {
      return at_column(word.at, fmt::format("no {} is less than another: use = or !=", name.text));
    }
    return {};
  }

  static Result<void> read_value(const Word& word, Comparison* comparison) {
    const bool is_any_text = comparison->relation == Relation::kContains;
    const Field as_text{comparison->field->name, comparison->field->column, FieldKind::kText};
    Result<ComparedValue> value = value_of(is_any_text ? as_text : *comparison->field, word.text,
                                           word.kind == Word::Kind::kQuoted || is_any_text);
    if (!value.has_value()) {
      return at_column(word.at, value.error().message);
    }
    comparison->value = std::move(value).value();
    const bool is_none = std::holds_alternative<std::monostate>(comparison->value);
    if (is_none && comparison->relation != Relation::kEqual && comparison->relation != Relation::kUnequal) {
      return at_column(word.at, "nothing is less or more than none: use = or !=");
    }
    return {};
  }

  std::vector<Word> words_;
  size_t at_ = 0;
  size_t comparisons_ = 0;
};

}  // namespace

Result<Condition> parse_condition(const std::string& text) {
  if (text.size() > kMaxBytes) {
    return failure(ErrorCode::kUsage,
                   fmt::format("the condition has {} bytes, and may have {}", text.size(), kMaxBytes), "",
                   "leave some of it out");
  }
  STITCH_ASSIGN(std::vector<Word> words, words_of(text));
  return Parser(std::move(words)).parse();
}

}  // namespace stitch::runs
