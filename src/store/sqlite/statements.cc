// SPDX-License-Identifier: Apache-2.0
#include "store/sqlite/statements.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <sys/file.h>

namespace stitch::store::internal {
namespace {

constexpr int kBusyTimeoutMs = 30'000;

void bind(sqlite3_stmt* statement, int place, const Value& value) {
  if (const auto* number = std::get_if<int64_t>(&value)) {
    sqlite3_bind_int64(statement, place, *number);
  } else {
    const auto& text = std::get<std::string>(value);
    sqlite3_bind_text(statement, place, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
  }
}

Value value_of(sqlite3_stmt* statement, int column) {
  if (sqlite3_column_type(statement, column) == SQLITE_INTEGER) {
    return static_cast<int64_t>(sqlite3_column_int64(statement, column));
  }
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? std::string()
                         : std::string(text, static_cast<size_t>(sqlite3_column_bytes(statement, column)));
}

// flock() until it is had: signals that are no end of us interrupt it.
bool lock_whole(int descriptor) {
  while (::flock(descriptor, LOCK_EX) != 0) {
    if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace

void Statements::Close::operator()(sqlite3* database) const { sqlite3_close(database); }
void Statements::Close::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
Statements::Statements(Statements&&) noexcept = default;
Statements& Statements::operator=(Statements&&) noexcept = default;
Statements::~Statements() = default;

Unexpected Statements::broken() {
  const int code = sqlite3_errcode(database_.get()) & 0xff;
  const bool is_damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
  return failure(is_damaged ? ErrorCode::kFileInvalid : ErrorCode::kEnvironment,
                 std::string("the store of jobs cannot be used: ") + sqlite3_errmsg(database_.get()), file_,
                 is_damaged ? "move the file away: front ends submit again what had not ended"
                            : "make room on the disk, or name a file that can be written");
}

Result<Statements> Statements::open(const std::filesystem::path& file, const char* schema, int version) {
  std::error_code ignored;
  if (file.has_parent_path()) {
    std::filesystem::create_directories(file.parent_path(), ignored);
  }
  Statements made;
  made.file_ = file.string();
  made.lock_ = Descriptor(::open((made.file_ + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!made.lock_.is_open()) {
    return failure(ErrorCode::kEnvironment, "the store of jobs cannot be written", made.file_,
                   "name a file in a folder that can be written");
  }
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2(made.file_.c_str(), &opened,
                                     SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nullptr);
  made.database_.reset(opened);
  if (status != SQLITE_OK) {
    return made.broken();
  }
  sqlite3_busy_timeout(opened, kBusyTimeoutMs);
  if (!lock_whole(made.lock_.get())) {
    return failure(ErrorCode::kEnvironment, "the store of jobs cannot be locked", made.file_,
                   "use a disk of this machine");
  }
  Result<void> tables = made.make_tables(schema, version);
  ::flock(made.lock_.get(), LOCK_UN);
  STITCH_TRY(std::move(tables));
  return made;
}

// Commits reach the disk when the log is taken in: the machine's failure may undo the last ones, a process's cannot.
Result<void> Statements::make_tables(const char* schema, int version) {
  STITCH_TRY(execute("PRAGMA journal_mode = WAL"));
  STITCH_TRY(execute("PRAGMA synchronous = NORMAL"));
  STITCH_ASSIGN(const std::vector<Row> found, rows("PRAGMA user_version", {}));
  const int64_t there = found.empty() ? 0 : std::get<int64_t>(found[0][0]);
  if (there == version) {
    return {};
  }
  if (there != 0) {
    return failure(ErrorCode::kFileInvalid, "the store of jobs was made by another version of stitchcuda", file_,
                   "name another file, or move this one away once no worker uses it");
  }
  return execute(fmt::format("BEGIN IMMEDIATE; {} PRAGMA user_version = {}; COMMIT", schema, version));
}

Result<void> Statements::execute(const std::string& text) {
  return sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK ? Result<void>()
                                                                                             : Result<void>(broken());
}

Result<std::vector<Row>> Statements::rows(const char* text, std::initializer_list<Value> values) {
  auto& statement = prepared_[text];
  if (statement == nullptr) {
    sqlite3_stmt* made = nullptr;
    if (sqlite3_prepare_v2(database_.get(), text, -1, &made, nullptr) != SQLITE_OK) {
      return broken();
    }
    statement.reset(made);
  }
  int place = 0;
  for (const Value& value : values) {
    bind(statement.get(), ++place, value);
  }
  std::vector<Row> all;
  int status = sqlite3_step(statement.get());
  for (; status == SQLITE_ROW; status = sqlite3_step(statement.get())) {
    Row row;
    for (int column = 0; column < sqlite3_column_count(statement.get()); ++column) {
      row.push_back(value_of(statement.get(), column));
    }
    all.push_back(std::move(row));
  }
  Result<std::vector<Row>> result =
      status == SQLITE_DONE ? Result<std::vector<Row>>(std::move(all)) : Result<std::vector<Row>>(broken());
  sqlite3_reset(statement.get());
  sqlite3_clear_bindings(statement.get());
  return result;
}

Result<void> Statements::run(const char* text, std::initializer_list<Value> values) {
  const Result<std::vector<Row>> none = rows(text, values);
  return none.has_value() ? Result<void>() : Result<void>(failure(none.error()));
}

Result<void> Statements::change(const std::function<Result<void>()>& work) {
  if (!lock_whole(lock_.get())) {
    return failure(ErrorCode::kEnvironment, "the store of jobs cannot be locked", file_, "use a disk of this machine");
  }
  Result<void> done = run("BEGIN IMMEDIATE", {});
  if (done.has_value()) {
    done = work();
    if (done.has_value()) {
      done = run("COMMIT", {});
    }
    if (!done.has_value()) {
      static_cast<void>(run("ROLLBACK", {}));
    }
  }
  ::flock(lock_.get(), LOCK_UN);
  return done;
}

}  // namespace stitch::store::internal
