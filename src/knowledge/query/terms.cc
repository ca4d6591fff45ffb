// SPDX-License-Identifier: Apache-2.0
#include "knowledge/query/terms.h"

#include <algorithm>

#include "knowledge/query/error_log.h"
#include "knowledge/query/profile_words.h"
#include "knowledge/words/synonyms.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

constexpr size_t kMaxQueryBytes = 16u << 10;
constexpr size_t kMaxQueryWords = 400;
constexpr int kAskedWeight = 2;
constexpr size_t kMaxAskedTerms = 32;

class TermList {
 public:
  bool has(const std::string& text) const {
    return std::any_of(terms_.begin(), terms_.end(), [&](const Term& term) { return term.text == text; });
  }
  void add(const std::string& text, int weight, bool is_identifier) {
    if (terms_.size() < kMaxTerms && !text.empty() && !has(text)) {
      terms_.push_back({text, weight, is_identifier});
    }
  }
  size_t size() const { return terms_.size(); }
  std::vector<Term> take() { return std::move(terms_); }

 private:
  std::vector<Term> terms_;
};

void add_parts(const std::vector<Word>& words, TermList& terms) {
  for (const Word& word : words) {
    for (const std::string& part : word.parts) {
      if (part.size() > 2 && part != "cuda" && part != "std" && !is_stop_word(part) && !is_number(part)) {
        terms.add(part, 1, word.is_identifier);
      }
    }
  }
}

// A message is known by its own words, small ones too ("expected before"), and by none that mean the same.
enum class Reading { kQuestion, kMessage };

// What was asked, whole; then its parts; then what means the same.
std::vector<Term> terms_from(const std::vector<Word>& words, Reading reading) {
  TermList terms;
  for (const bool takes_stop_words : {reading == Reading::kMessage, true}) {
    for (const Word& word : words) {
      if (terms.size() < kMaxAskedTerms && (takes_stop_words || !is_stop_word(word.whole))) {
        terms.add(word.whole, kAskedWeight, word.is_identifier);
      }
    }
    if (terms.size() > 0) {
      break;  // stop words alone are better than nothing
    }
  }
  add_parts(words, terms);
  if (reading == Reading::kMessage) {
    return terms.take();
  }
  for (const Word& word : words) {
    for (const std::string& other : synonyms_of(word.whole)) {
      terms.add(other, 1, false);
    }
    for (const std::string& part : word.parts) {
      for (const std::string& other : synonyms_of(part)) {
        terms.add(other, 1, false);
      }
    }
  }
  return terms.take();
}

// Two words that are one elsewhere: "tensor core" is "tensorcore", "layer norm" is "layernorm".
void join_neighbours(std::vector<Word>& words) {
  const size_t count = words.size();
  for (size_t i = 0; i + 1 < count; ++i) {
    const std::string joined = words[i].whole + words[i + 1].whole;
    if (!synonyms_of(joined).empty()) {
      words.push_back({.whole = joined});
    }
  }
}

std::vector<Term> terms_of_text(std::string_view text, Reading reading = Reading::kQuestion) {
  std::vector<Word> words = words_of(text.substr(0, kMaxQueryBytes), kMaxQueryWords);
  join_neighbours(words);
  return terms_from(words, reading);
}

}  // namespace

std::vector<Term> terms_of(const Query& query) {
  if (const auto* error = std::get_if<ErrorQuery>(&query); error != nullptr) {
    return terms_of_text(telling_words(error->log), Reading::kMessage);
  }
  if (const auto* profile = std::get_if<ProfileQuery>(&query); profile != nullptr) {
    return terms_of_text(profile_words(*profile));
  }
  return terms_of_text(std::get<TextQuery>(query).text);
}

std::vector<Term> declaration_terms(const std::vector<Term>& terms) {
  const bool names_any = std::any_of(terms.begin(), terms.end(), [](const Term& term) { return term.is_identifier; });
  std::vector<Term> chosen;
  std::copy_if(terms.begin(), terms.end(), std::back_inserter(chosen), [&](const Term& term) {
    return names_any ? term.is_identifier : term.weight == kAskedWeight && !is_stop_word(term.text);
  });
  return chosen;
}

std::string match_expression(const std::vector<Term>& terms) {
  std::string expression;
  for (const Term& term : terms) {
    // A phrase that is named twice counts twice in bm25().
    for (int i = 0; i < term.weight; ++i) {
      expression += (expression.empty() ? "\"" : " OR \"") + term.text + "\"";
    }
  }
  return expression;
}

}  // namespace stitch::knowledge
