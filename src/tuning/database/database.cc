// SPDX-License-Identifier: Apache-2.0
#include "tuning/database/database.h"

#include <sqlite3.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace stitch::tuning {
namespace {

constexpr int kBusyTimeoutMs = 20'000;  // another process is writing
constexpr int kTableVersion = 2;
constexpr int kFirstVersion = 1;  // it had times alone

constexpr const char* kTable = R"(
CREATE TABLE IF NOT EXISTS times (
  device TEXT NOT NULL, toolchain TEXT NOT NULL, math TEXT NOT NULL, signature TEXT NOT NULL,
  variant TEXT NOT NULL, splits INTEGER NOT NULL,
  median_us REAL, spread REAL NOT NULL,
  PRIMARY KEY (device, toolchain, math, signature, variant, splits)
) WITHOUT ROWID)";
constexpr const char* kStepsTable = R"(
CREATE TABLE IF NOT EXISTS steps (
  signature TEXT NOT NULL PRIMARY KEY, skeleton TEXT NOT NULL, family TEXT NOT NULL, extents TEXT NOT NULL,
  modelled_us REAL NOT NULL, graph TEXT NOT NULL, root INTEGER NOT NULL
) WITHOUT ROWID)";
constexpr const char* kDescribe = "INSERT OR IGNORE INTO steps VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
constexpr const char* kAll =
    "SELECT device, toolchain, math, signature, variant, splits, median_us, spread, "
    "skeleton, family, extents, modelled_us, graph, root "
    "FROM times LEFT JOIN steps USING (signature) ORDER BY device, toolchain, math, signature, variant, splits";
constexpr const char* kFind =
    "SELECT median_us, spread FROM times WHERE device = ?1 AND toolchain = ?2 AND math = ?3 AND signature = ?4 "
    "AND variant = ?5 AND splits = ?6";
constexpr const char* kStore = "INSERT OR REPLACE INTO times VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";

Unexpected broken(sqlite3* database, const std::string& file) {
  const int code = sqlite3_errcode(database);
  const bool is_no_database = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
  return failure(is_no_database ? ErrorCode::kFileInvalid : ErrorCode::kEnvironment,
                 std::string("the tuning database cannot be used: ") + sqlite3_errmsg(database), file,
                 is_no_database ? "remove the file: times are measured again" : "make room, or name another file");
}

// One prepared statement, from its text to its end.
class Statement {
 public:
  static Result<Statement> make(sqlite3* database, const std::string& file, const char* text) {
    sqlite3_stmt* statement = nullptr;
    if (sqlite3_prepare_v2(database, text, -1, &statement, nullptr) != SQLITE_OK) {
      return broken(database, file);
    }
    return Statement(statement);
  }

  void bind(const std::string& text) {
    sqlite3_bind_text(statement_.get(), ++bound_, text.c_str(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
  void bind(int64_t number) { sqlite3_bind_int64(statement_.get(), ++bound_, number); }
  void bind(double number) { sqlite3_bind_double(statement_.get(), ++bound_, number); }
  void bind_null() { sqlite3_bind_null(statement_.get(), ++bound_); }
  void bind_key(const Context& context, const std::string& signature, const kernels::Setting& setting) {
    for (const std::string* text : {&context.device, &context.toolchain, &context.math, &signature, &setting.variant}) {
      bind(*text);
    }
    bind(setting.splits);
  }

  int step() { return sqlite3_step(statement_.get()); }
  bool is_null(int column) { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }
  double number(int column) { return sqlite3_column_double(statement_.get(), column); }
  std::string text(int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    return bytes == nullptr ? std::string() : std::string(bytes);
  }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

Result<int> table_version(sqlite3* database, const std::string& file) {
  STITCH_ASSIGN(Statement version, Statement::make(database, file, "PRAGMA user_version"));
  if (version.step() != SQLITE_ROW) {
    return broken(database, file);
  }
  return static_cast<int>(version.number(0));
}

// Only a file without the table is written to, under the write lock from the start: of two processes that read first
// and write then, SQLite refuses one at once, however long it is told to wait.
Result<void> make_table(sqlite3* database, const std::string& file) {
  STITCH_ASSIGN(const int found, table_version(database, file));
  if (found == kTableVersion) {
    return {};
  }
  if (found != 0 && found != kFirstVersion) {
    return failure(ErrorCode::kFileInvalid, "the tuning database was made by another version of stitchcuda", file,
                   "remove the file: times are measured again");
  }
  const std::string text = std::string("BEGIN IMMEDIATE; ") + kTable + "; " + kStepsTable +
                           "; PRAGMA user_version = " + std::to_string(kTableVersion) + "; COMMIT";
  if (sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return broken(database, file);
  }
  return {};
}

double median_at(Statement& statement, int column) {
  return statement.is_null(column) ? std::numeric_limits<double>::infinity() : statement.number(column);
}

std::string joined(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

std::vector<int64_t> numbers_of(const std::string& text) {
  std::vector<int64_t> numbers;
  std::stringstream parts(text);
  for (int64_t number = 0; parts >> number; parts.ignore()) {
    numbers.push_back(number);
  }
  return numbers;
}

KnownTime time_at(Statement& row) {
  KnownTime time;
  time.context = {row.text(0), row.text(1), row.text(2)};
  time.signature = row.text(3);
  time.setting = {row.text(4), static_cast<int64_t>(row.number(5))};
  time.measurement = {median_at(row, 6), row.number(7)};
  if (!row.is_null(8)) {
    time.record = StepRecord{row.text(8),    row.text(9),  numbers_of(row.text(10)),
                             row.number(11), row.text(12), static_cast<int>(row.number(13))};
  }
  return time;
}

}  // namespace

void TuningDatabase::Close::operator()(sqlite3* database) const { sqlite3_close(database); }

Result<TuningDatabase> TuningDatabase::open(const std::filesystem::path& file) {
  std::error_code ignored;
  if (file.has_parent_path()) {
    std::filesystem::create_directories(file.parent_path(), ignored);
  }
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(file.c_str(), &opened,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_FULLMUTEX, nullptr);
  std::unique_ptr<sqlite3, Close> database(opened);
  if (status != SQLITE_OK) {
    return broken(opened, file.string());
  }
  sqlite3_busy_timeout(opened, kBusyTimeoutMs);
  STITCH_TRY(make_table(opened, file.string()));
  return TuningDatabase(std::move(database), file.string());
}

Result<std::optional<Measurement>> TuningDatabase::find(const Context& context, const std::string& signature,
                                                        const kernels::Setting& setting) const {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), file_, kFind));
  statement.bind_key(context, signature, setting);
  switch (statement.step()) {
    case SQLITE_DONE:
      return std::optional<Measurement>{};
    case SQLITE_ROW: {
      return std::optional(Measurement{median_at(statement, 0), statement.number(1)});
    }
    default:
      return broken(database_.get(), file_);
  }
}

Result<void> TuningDatabase::store(const Context& context, const std::string& signature,
                                   const kernels::Setting& setting, const Measurement& measurement) {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), file_, kStore));
  statement.bind_key(context, signature, setting);
  if (std::isfinite(measurement.median_us)) {
    statement.bind(measurement.median_us);
  } else {
    statement.bind_null();
  }
  statement.bind(measurement.spread);
  return statement.step() == SQLITE_DONE ? Result<void>() : Result<void>(broken(database_.get(), file_));
}

Result<void> TuningDatabase::describe(const std::string& signature, const StepRecord& record) {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), file_, kDescribe));
  for (const std::string& text : {signature, record.skeleton, record.family, joined(record.extents)}) {
    statement.bind(text);
  }
  statement.bind(record.modelled_us);
  statement.bind(record.graph);
  statement.bind(static_cast<int64_t>(record.root));
  return statement.step() == SQLITE_DONE ? Result<void>() : Result<void>(broken(database_.get(), file_));
}

Result<std::vector<KnownTime>> TuningDatabase::all() const {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), file_, kAll));
  std::vector<KnownTime> times;
  int status = statement.step();
  for (; status == SQLITE_ROW; status = statement.step()) {
    times.push_back(time_at(statement));
  }
  return status == SQLITE_DONE ? Result(std::move(times))
                               : Result<std::vector<KnownTime>>(broken(database_.get(), file_));
}

Result<int64_t> TuningDatabase::size() const {
  STITCH_ASSIGN(Statement statement, Statement::make(database_.get(), file_, "SELECT COUNT(*) FROM times"));
  if (statement.step() != SQLITE_ROW) {
    return broken(database_.get(), file_);
  }
  return static_cast<int64_t>(statement.number(0));
}

}  // namespace stitch::tuning
