// SPDX-License-Identifier: Apache-2.0
#include "knowledge/index/index.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <charconv>

#include "base/fs/files.h"
#include "knowledge/index/statement.h"
#include "knowledge/index/tables.h"

namespace stitch::knowledge {
namespace {

namespace fs = std::filesystem;

constexpr const char* kIndexPrefix = "stitchcuda-index";

Result<std::string> read_fact(sqlite3* database, const fs::path& file, const std::string& name) {
  STITCH_ASSIGN(Statement statement, Statement::make(database, file, "SELECT value FROM facts WHERE name = ?1"));
  statement.bind(name);
  if (statement.step() != SQLITE_ROW) {
    return failure(ErrorCode::kFileInvalid, "the index of documents is not complete", file.string(),
                   "build it again: stitchcuda docs index");
  }
  return statement.text(0);
}

Result<int64_t> read_count(sqlite3* database, const fs::path& file, Origin origin) {
  STITCH_ASSIGN(const std::string text, read_fact(database, file, to_string(origin)));
  int64_t count = 0;
  std::from_chars(text.data(), text.data() + text.size(), count);
  return count;
}

Result<int64_t> pragma(sqlite3* database, const fs::path& file, const char* text) {
  STITCH_ASSIGN(Statement statement, Statement::make(database, file, text));
  return statement.step() == SQLITE_ROW ? Result<int64_t>(statement.integer(0)) : index_failure(database, file);
}

// A file that was cut short has fewer bytes than its first page says.
Result<void> check_whole(sqlite3* database, const fs::path& file) {
  STITCH_ASSIGN(const int64_t pages, pragma(database, file, "PRAGMA page_count"));
  STITCH_ASSIGN(const int64_t page_bytes, pragma(database, file, "PRAGMA page_size"));
  std::error_code error;
  const uintmax_t bytes = fs::file_size(file, error);
  const bool is_whole = !error && bytes > 0 && bytes == static_cast<uintmax_t>(pages * page_bytes);
  return is_whole ? Result<void>()
                  : failure(ErrorCode::kFileInvalid, "the index of documents was cut short", file.string(),
                            "build it again: stitchcuda docs index");
}

Result<IndexFacts> read_facts(sqlite3* database, const fs::path& file) {
  IndexFacts facts;
  STITCH_ASSIGN(facts.cards, read_count(database, file, Origin::kCard));
  STITCH_ASSIGN(facts.headers, read_count(database, file, Origin::kHeader));
  STITCH_ASSIGN(facts.guides, read_count(database, file, Origin::kGuide));
  STITCH_ASSIGN(facts.folders, read_count(database, file, Origin::kFolder));
  STITCH_ASSIGN(const std::string skipped, read_fact(database, file, "skipped"));
  for (size_t at = 0; at < skipped.size();) {
    const size_t end = std::min(skipped.find('\n', at), skipped.size());
    facts.skipped.push_back(skipped.substr(at, end - at));
    at = end + 1;
  }
  return facts;
}

}  // namespace

void Index::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<Index> Index::open_built(const fs::path& file, const std::string& digest) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<sqlite3, Close> database(opened);
  if (status != SQLITE_OK) {
    return index_failure(opened, file);
  }
  STITCH_TRY(check_whole(opened, file));
  STITCH_ASSIGN(const std::string found, read_fact(opened, file, "digest"));
  if (found != digest) {
    return failure(ErrorCode::kFileInvalid, "the index of documents is older than its sources", file.string(),
                   "build it again: stitchcuda docs index");
  }
  STITCH_ASSIGN(IndexFacts facts, read_facts(opened, file));
  return Index(std::move(database), file, std::move(facts));
}

Result<Index> Index::build(const Sources& sources, const fs::path& file) {
  const std::string digest = sources_digest(sources);  // before reading: what changes meanwhile is read again next time
  STITCH_ASSIGN(const Collected collected, collect_documents(sources));
  STITCH_TRY(make_directories(file.parent_path()));
  remove_leftovers(file.parent_path(), kIndexPrefix);
  STITCH_ASSIGN(const TemporaryDirectory folder, TemporaryDirectory::make(kIndexPrefix, file.parent_path()));
  const fs::path made = folder.path() / "index.sqlite";
  STITCH_TRY(write_tables(made, collected, digest));
  std::error_code error;
  fs::rename(made, file, error);
  if (error) {
    return failure(ErrorCode::kEnvironment, "the index of documents cannot be put in its place: " + error.message(),
                   file.string(), "make room there, or set STITCHCUDA_CACHE to another folder");
  }
  STITCH_ASSIGN(Index built, open_built(file, digest));
  built.facts_.was_built = true;
  return built;
}

Result<Index> Index::open(const Sources& sources, const fs::path& file) {
  Result<Index> opened = open_built(file, sources_digest(sources));
  return opened.has_value() ? std::move(opened) : build(sources, file);
}

}  // namespace stitch::knowledge
