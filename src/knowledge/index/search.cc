// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "knowledge/index/index.h"
#include "knowledge/index/snippet.h"
#include "knowledge/index/statement.h"
#include "knowledge/index/tables.h"
#include "knowledge/query/terms.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

// A title says more than when something applies, and that more than the rest; who has a message looks for it first.
// Columns: title, about, messages, body. bm25() is negative, the best least.
constexpr const char* kFind =
    "SELECT rowid, -bm25(words, 4.0, 2.5, 2.0, 1.0) AS score FROM words WHERE words MATCH ?1 "
    "ORDER BY score DESC, rowid LIMIT ?2";
constexpr const char* kFindMessage =
    "SELECT rowid, -bm25(words, 2.0, 1.5, 5.0, 0.5) AS score FROM words WHERE words MATCH ?1 "
    "ORDER BY score DESC, rowid LIMIT ?2";
constexpr const char* kFindDeclared =
    "SELECT rowid, -bm25(declared, 4.0, 2.5, 1.0, 1.0) AS score FROM declared WHERE declared MATCH ?1 "
    "ORDER BY score DESC, rowid LIMIT ?2";

// Our cards say what to do: they come before what shares as many words with the question. Who asks for a declaration
// names it, and its name is its title.
constexpr double kAskedDeclarationWeight = 1.2;  // where a name is all that was asked
constexpr double kNamedDeclarationWeight = 0.45;
constexpr double kDeclarationWeight = 0.25;
constexpr double kExactNameWeight = 2.5;  // besides
constexpr double kOtherWeight = 0.8;
constexpr int kMinHits = 12;  // what is named exactly is among them, if not yet the first

struct Hit {
  int64_t number = 0;
  double score = 0;
};

Origin origin_of(int64_t number) { return static_cast<Origin>(number >> kOriginShift); }

constexpr const char* kColumns = "SELECT number, id, title, source, place, body FROM passages WHERE ";

Passage passage_in(const Statement& row) {
  Passage passage;
  passage.origin = origin_of(row.integer(0));
  passage.id = row.text(1);
  passage.title = row.text(2);
  passage.source = row.text(3);
  passage.place = row.text(4);
  passage.text = row.text(5);
  return passage;
}

// Ids that begin alike, for who has mistyped one.
std::string ids_near(const Index& index, const std::string& id) {
  const std::string begin = id.substr(0, std::max<size_t>(id.find_last_of("/:#") + 1, 1));
  Result<Statement> near =
      Statement::make(index.database(), index.file(), "SELECT id FROM passages WHERE id >= ?1 ORDER BY id LIMIT 3");
  if (!near.has_value()) {
    return {};
  }
  near->bind(begin);
  std::string found;
  while (near->step() == SQLITE_ROW) {
    found += (found.empty() ? "" : ", ") + near->text(0);
  }
  return found;
}

Result<void> add_hits(const Index& index, const char* text, const std::string& expression, int count,
                      double declaration_weight, std::vector<Hit>& hits) {
  STITCH_ASSIGN(Statement find, Statement::make(index.database(), index.file(), text));
  find.bind(expression);
  find.bind(static_cast<int64_t>(count));
  int status = find.step();
  for (; status == SQLITE_ROW; status = find.step()) {
    const int64_t number = find.integer(0);
    const Origin origin = origin_of(number);
    const double weight = origin == Origin::kCard ? 1 : origin == Origin::kHeader ? declaration_weight : kOtherWeight;
    hits.push_back({number, find.number(1) * weight});
  }
  return status == SQLITE_DONE ? Result<void>() : index_failure(index.database(), index.file());
}

// Whether a question spells the very name of a declaration.
bool is_named(const Passage& passage, const std::vector<Term>& terms) {
  if (passage.origin != Origin::kHeader) {
    return false;
  }
  const std::vector<Word> title = words_of(passage.title, 1);
  return !title.empty() && std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
    return term.is_identifier && term.weight > 1 && term.text == title.front().whole;
  });
}

Result<std::vector<Passage>> read_passages(const Index& index, const std::vector<Hit>& hits,
                                           const std::vector<Term>& terms) {
  STITCH_ASSIGN(Statement read,
                Statement::make(index.database(), index.file(), (std::string(kColumns) + "number = ?1").c_str()));
  std::vector<Passage> passages;
  for (const Hit& hit : hits) {
    read.bind(hit.number);
    if (read.step() != SQLITE_ROW) {
      return failure(ErrorCode::kFileInvalid, "the index of documents is damaged", index.file().string(),
                     "build it again: stitchcuda docs index");
    }
    Passage passage = passage_in(read);
    passage.score = hit.score * (is_named(passage, terms) ? kExactNameWeight : 1);
    passage.snippet = snippet_of(passage.text, terms);
    passages.push_back(std::move(passage));
    read.reset();
  }
  return passages;
}

double weight_of_declarations(const std::vector<Term>& terms, const std::vector<Term>& declared) {
  if (declared.empty() || !declared.front().is_identifier) {
    return kDeclarationWeight;
  }
  const auto asked = std::count_if(terms.begin(), terms.end(), [](const Term& term) { return term.weight > 1; });
  return asked == 1 ? kAskedDeclarationWeight : kNamedDeclarationWeight;
}

}  // namespace

Result<std::vector<Passage>> search(const Index& index, const Query& query, int limit) {
  const std::vector<Term> terms = terms_of(query);
  const auto wanted = static_cast<size_t>(std::clamp(limit, 0, kMaxPassages));
  const int count = std::max(static_cast<int>(wanted), kMinHits);
  std::vector<Hit> hits;
  if (terms.empty() || wanted == 0) {
    return std::vector<Passage>();
  }
  const char* find = std::holds_alternative<ErrorQuery>(query) ? kFindMessage : kFind;
  const std::vector<Term> declared = declaration_terms(terms);
  const double weight = weight_of_declarations(terms, declared);
  STITCH_TRY(add_hits(index, find, match_expression(terms), count, weight, hits));
  if (!declared.empty()) {
    STITCH_TRY(add_hits(index, kFindDeclared, match_expression(declared), count, weight, hits));
  }
  std::stable_sort(hits.begin(), hits.end(), [](const Hit& a, const Hit& b) { return a.score > b.score; });
  hits.resize(std::min(hits.size(), static_cast<size_t>(count)));
  STITCH_ASSIGN(std::vector<Passage> passages, read_passages(index, hits, terms));
  std::stable_sort(passages.begin(), passages.end(),
                   [](const Passage& a, const Passage& b) { return a.score > b.score; });
  passages.resize(std::min(passages.size(), wanted));
  return passages;
}

Result<Passage> find_passage(const Index& index, const std::string& id) {
  STITCH_ASSIGN(Statement read,
                Statement::make(index.database(), index.file(), (std::string(kColumns) + "id = ?1").c_str()));
  read.bind(id);
  const int status = read.step();
  if (status == SQLITE_ROW) {
    return passage_in(read);
  }
  if (status != SQLITE_DONE) {
    return index_failure(index.database(), index.file());
  }
  const std::string near = ids_near(index, id);
  return failure(ErrorCode::kUsage, fmt::format("no passage has the id '{}'", id.substr(0, 200)), "",
                 near.empty() ? "stitchcuda docs search names ids" : "near it are " + near);
}

}  // namespace stitch::knowledge
