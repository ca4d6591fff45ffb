// SPDX-License-Identifier: Apache-2.0
#include "runs/index/run_index.h"

#include <sqlite3.h>

#include <algorithm>

#include "runs/index/rows.h"
#include "runs/index/statement.h"

namespace stitch::runs {
namespace {

namespace fs = std::filesystem;
using internal::execute;
using internal::index_failure;
using internal::IndexLock;
using internal::Statement;

constexpr std::chrono::seconds kPatience{10};
constexpr int kBusyTimeoutMs = 10'000;  // another process is writing
// What a loss of power leaves is made again from the folders, so nothing waits for the disk. No WAL: homes lie on
// network file systems.
constexpr const char* kSettings = "PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = OFF";

fs::path file_in(const fs::path& state) { return state / "runs.sqlite"; }
fs::path lock_in(const fs::path& state) { return state / "runs.lock"; }

Result<int64_t> number_of(sqlite3* database, const char* text) {
  STITCH_ASSIGN(Statement statement, Statement::make(database, text));
  STITCH_ASSIGN(const bool is_row, statement.step());
  return is_row ? Result<int64_t>(statement.integer(0)) : Result<int64_t>(index_failure(database));
}

// Of this version, and as long as its first page says.
Result<void> check(sqlite3* database, const fs::path& file) {
  STITCH_ASSIGN(const int64_t version, number_of(database, "PRAGMA user_version"));
  STITCH_ASSIGN(const int64_t pages, number_of(database, "PRAGMA page_count"));
  STITCH_ASSIGN(const int64_t page_bytes, number_of(database, "PRAGMA page_size"));
  std::error_code error;
  const uintmax_t bytes = fs::file_size(file, error);
  const bool is_whole = !error && bytes >= static_cast<uintmax_t>(pages * page_bytes);
  return version == internal::kIndexVersion && is_whole
             ? Result<void>()
             : Result<void>(failure(ErrorCode::kFileInvalid, "the index of runs is not whole, or of another version"));
}

void bind_all(Statement* statement, const SqlCondition& condition) {
  for (const auto& value : condition.values) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      statement->bind(*text);
    } else {
      statement->bind(std::get<double>(value));
    }
  }
}

Result<std::vector<RunSummary>> summaries_of(Statement statement) {
  std::vector<RunSummary> found;
  while (true) {
    STITCH_ASSIGN(const bool is_row, statement.step());
    if (!is_row) {
      return found;
    }
    STITCH_ASSIGN(RunSummary summary, internal::read_summary(statement));
    found.push_back(std::move(summary));
  }
}

}  // namespace

void RunIndex::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<RunIndex::Database> RunIndex::opened(const char* file) {
  sqlite3* handle = nullptr;
  const int status =
      sqlite3_open_v2(file, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  Database database(handle);
  if (status != SQLITE_OK) {
    return index_failure(handle);
  }
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  return database;
}

Result<RunIndex> RunIndex::open(const fs::path& state) {
  std::error_code ignored;
  if (!fs::exists(file_in(state), ignored)) {
    return failure(ErrorCode::kFileInvalid, "there is no index of runs yet");
  }
  STITCH_ASSIGN(IndexLock lock, IndexLock::take(lock_in(state), IndexLock::Kind::kShared, kPatience));
  STITCH_ASSIGN(Database database, opened(file_in(state).c_str()));
  STITCH_TRY(check(database.get(), file_in(state)));
  STITCH_TRY(execute(database.get(), kSettings));
  return RunIndex(std::move(lock), std::move(database));
}

Result<RunIndex> RunIndex::make_again(const fs::path& state) {
  STITCH_ASSIGN(IndexLock lock, IndexLock::take(lock_in(state), IndexLock::Kind::kAlone, kPatience));
  for (const char* each : {"", "-journal", "-wal", "-shm"}) {
    std::error_code ignored;
    fs::remove(file_in(state).string() + each, ignored);
  }
  STITCH_ASSIGN(Database database, opened(file_in(state).c_str()));
  STITCH_TRY(execute(database.get(), kSettings));
  STITCH_TRY(execute(database.get(), internal::make_table_sql()));
  RunIndex index(std::move(lock), std::move(database));
  STITCH_TRY(index.catch_up(state / "runs"));
  STITCH_TRY(index.lock_->change(IndexLock::Kind::kShared, kPatience));
  return index;
}

Result<RunIndex> RunIndex::in_memory() {
  STITCH_ASSIGN(Database database, opened(":memory:"));
  STITCH_TRY(execute(database.get(), internal::make_table_sql()));
  return RunIndex(std::nullopt, std::move(database));
}

Result<void> RunIndex::put(const IndexedRun& run) {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), internal::put_sql()));
  internal::bind_run(&statement, run);
  STITCH_ASSIGN(const bool ignored, statement.step());
  static_cast<void>(ignored);
  return {};
}

Result<void> RunIndex::remove(const std::string& id) {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), "DELETE FROM runs WHERE id = ?"));
  statement.bind(id);
  STITCH_ASSIGN(const bool ignored, statement.step());
  static_cast<void>(ignored);
  return {};
}

Result<std::vector<RunSummary>> RunIndex::find(const Condition& condition, int64_t now,
                                               std::optional<int64_t> limit) const {
  const SqlCondition sql = to_sql(condition, now);
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), internal::select_summary_sql() + "FROM runs WHERE " + sql.text +
                                                     " ORDER BY id DESC LIMIT ?"));
  bind_all(&statement, sql);
  statement.bind(limit.value_or(-1));
  return summaries_of(std::move(statement));
}

Result<std::vector<RunSummary>> RunIndex::writing_to(const std::string& out) const {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), internal::select_summary_sql() +
                                                                          "FROM runs WHERE out = ? ORDER BY id DESC"));
  statement.bind(out);
  return summaries_of(std::move(statement));
}

Result<std::vector<std::string>> RunIndex::beyond(const KeepLimits& limits, int64_t now) const {
  std::vector<std::string> ids;
  STITCH_ASSIGN(const IndexTotals all, totals());
  auto left = static_cast<uint64_t>(std::max<int64_t>(all.bytes, 0));
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(),
                                                     "SELECT id, started_s, bytes FROM runs WHERE state != 'running' "
                                                     "ORDER BY started_s, id"));
  while (true) {
    STITCH_ASSIGN(const bool is_row, statement.step());
    const bool is_old = is_row && limits.age_seconds.has_value() &&
                        static_cast<double>(now - statement.integer(1)) > *limits.age_seconds;
    if (!is_old && !(is_row && limits.bytes.has_value() && left > *limits.bytes)) {
      return ids;
    }
    ids.push_back(statement.text(0));
    left -= std::min(left, static_cast<uint64_t>(std::max<int64_t>(statement.integer(2), 0)));
  }
}

Result<IndexTotals> RunIndex::totals() const {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database_.get(), "SELECT COUNT(*), COALESCE(SUM(bytes), 0) FROM runs"));
  STITCH_ASSIGN(const bool is_row, statement.step());
  return is_row ? Result<IndexTotals>(IndexTotals{statement.integer(0), statement.integer(1)})
                : Result<IndexTotals>(index_failure(database_.get()));
}

}  // namespace stitch::runs
