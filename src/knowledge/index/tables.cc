// SPDX-License-Identifier: Apache-2.0
#include "knowledge/index/tables.h"

#include <sqlite3.h>

#include <array>
#include <memory>

#include "knowledge/index/statement.h"
#include "knowledge/words/words.h"

namespace stitch::knowledge {
namespace {

// The file is thrown away where this fails: no journal. `words` and `declared` keep no text of their own (content='');
// their rows have the numbers of `passages`. What headers declare is thousands of rows that say "memory" and "kernel":
// apart, they cost a search nothing that it does not ask of them, and do not make such words look common in cards.
constexpr const char* kMakeTables = R"(
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE passages (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, title TEXT NOT NULL, source TEXT NOT NULL,
                       place TEXT NOT NULL, body TEXT NOT NULL);
CREATE VIRTUAL TABLE words USING fts5(title, about, messages, body, content='', tokenize='porter unicode61');
CREATE VIRTUAL TABLE declared USING fts5(title, about, messages, body, content='', tokenize='porter unicode61');
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
BEGIN)";
constexpr const char* kEnd = R"(
INSERT INTO words(words) VALUES ('optimize');
INSERT INTO declared(declared) VALUES ('optimize');
COMMIT)";

struct CloseWritten {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};

Result<void> run_text(sqlite3* database, const std::filesystem::path& file, const char* text) {
  return sqlite3_exec(database, text, nullptr, nullptr, nullptr) == SQLITE_OK ? Result<void>()
                                                                              : index_failure(database, file);
}

Result<void> write_documents(sqlite3* database, const std::filesystem::path& file, const Collected& collected) {
  STITCH_ASSIGN(Statement passage,
                Statement::make(database, file, "INSERT INTO passages VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
  STITCH_ASSIGN(Statement other,
                Statement::make(database, file,
                                "INSERT INTO words(rowid, title, about, messages, body) VALUES (?1, ?2, ?3, ?4, ?5)"));
  STITCH_ASSIGN(
      Statement declared,
      Statement::make(database, file,
                      "INSERT INTO declared(rowid, title, about, messages, body) VALUES (?1, ?2, ?3, ?4, ?5)"));
  int64_t count = 0;
  for (const Document& document : collected.documents) {
    const int64_t number = (static_cast<int64_t>(document.origin) << kOriginShift) + ++count;
    passage.bind(number);
    for (const std::string* text : {&document.id, &document.title, &document.source, &document.place, &document.body}) {
      passage.bind(*text);
    }
    Statement& words = document.origin == Origin::kHeader ? declared : other;
    words.bind(number);
    for (const std::string* text : {&document.title, &document.when, &document.messages, &document.body}) {
      words.bind(indexed_words(*text));
    }
    if (passage.step() != SQLITE_DONE || words.step() != SQLITE_DONE) {
      return index_failure(database, file);
    }
    passage.reset();
    words.reset();
  }
  return {};
}

Result<void> write_facts(sqlite3* database, const std::filesystem::path& file, const Collected& collected,
                         const std::string& digest) {
  STITCH_ASSIGN(Statement fact, Statement::make(database, file, "INSERT INTO facts VALUES (?1, ?2)"));
  const auto write = [&](const std::string& name, const std::string& value) -> Result<void> {
    fact.bind(name);
    fact.bind(value);
    if (fact.step() != SQLITE_DONE) {
      return index_failure(database, file);
    }
    fact.reset();
    return {};
  };
  std::array<int64_t, 4> counts{};
  for (const Document& document : collected.documents) {
    ++counts.at(static_cast<size_t>(document.origin));
  }
  for (const Origin origin : {Origin::kCard, Origin::kHeader, Origin::kGuide, Origin::kFolder}) {
    STITCH_TRY(write(to_string(origin), std::to_string(counts.at(static_cast<size_t>(origin)))));
  }
  std::string skipped;
  for (const std::string& sentence : collected.skipped) {
    skipped += sentence + "\n";
  }
  STITCH_TRY(write("skipped", skipped));
  return write("digest", digest);
}

}  // namespace

Result<void> write_tables(const std::filesystem::path& file, const Collected& collected, const std::string& digest) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
  const std::unique_ptr<sqlite3, CloseWritten> database(opened);
  if (status != SQLITE_OK) {
    return index_failure(opened, file);
  }
  STITCH_TRY(run_text(opened, file, kMakeTables));
  STITCH_TRY(write_documents(opened, file, collected));
  STITCH_TRY(write_facts(opened, file, collected, digest));
  return run_text(opened, file, kEnd);
}

}  // namespace stitch::knowledge
