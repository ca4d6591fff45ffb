// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>

#include "knowledge/index/index.h"
#include "knowledge/index/snippet.h"
#include "knowledge/index/statement.h"
#include "knowledge/index/tables.h"
#include "knowledge/query/terms.h"

namespace stitch::knowledge {
namespace {

// A title says more than when something applies, and that more than the rest. bm25() is negative, the best least. Our
// cards say what to do, so they come before declarations that share a word with the question; who asks for a
// declaration names it, and its name is its title.
const std::string& find_text() {
  static const std::string text = fmt::format(
      "SELECT rowid, -bm25(words, 4.0, 2.5, 1.0) * "
      "CASE rowid >> {} WHEN {} THEN 1.0 WHEN {} THEN 0.45 ELSE 0.8 END AS score "
      "FROM words WHERE words MATCH ?1 ORDER BY score DESC, rowid LIMIT ?2",
      kOriginShift, static_cast<int>(Origin::kCard), static_cast<int>(Origin::kHeader));
  return text;
}

constexpr const char* kColumns = "SELECT number, id, title, source, place, body FROM passages WHERE ";

Passage passage_in(const Statement& row) {
  Passage passage;
  passage.origin = static_cast<Origin>(row.integer(0) >> kOriginShift);
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

}  // namespace

Result<std::vector<Passage>> search(const Index& index, const Query& query, int limit) {
  const std::vector<Term> terms = terms_of(query);
  std::vector<Passage> passages;
  if (terms.empty() || limit <= 0) {
    return passages;
  }
  STITCH_ASSIGN(Statement find, Statement::make(index.database(), index.file(), find_text().c_str()));
  find.bind(match_expression(terms));
  find.bind(static_cast<int64_t>(std::min(limit, kMaxPassages)));
  STITCH_ASSIGN(Statement read,
                Statement::make(index.database(), index.file(), (std::string(kColumns) + "number = ?1").c_str()));
  int status = find.step();
  for (; status == SQLITE_ROW; status = find.step()) {
    read.bind(find.integer(0));
    if (read.step() != SQLITE_ROW) {
      return failure(ErrorCode::kFileInvalid, "the index of documents is damaged", index.file().string(),
                     "build it again: stitchcuda docs index");
    }
    Passage passage = passage_in(read);
    passage.score = find.number(1);
    passage.snippet = snippet_of(passage.text, terms);
    passages.push_back(std::move(passage));
    read.reset();
  }
  return status == SQLITE_DONE ? Result<std::vector<Passage>>(std::move(passages))
                               : index_failure(index.database(), index.file());
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
