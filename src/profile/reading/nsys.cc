// SPDX-License-Identifier: Apache-2.0
#include "profile/reading/nsys.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <memory>
#include <set>

#include "profile/reading/copy_kinds.h"

namespace stitch::profile {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxRows = 2'000'000;
constexpr int kMaxSteps = 200'000'000;  // of SQLite's machine: a hostile file may hold a view without end
constexpr int kStepsBetweenLooks = 1'000'000;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

Unexpected unreadable_export(const fs::path& file, const std::string& what) {
  return failure(ErrorCode::kFileInvalid, "the export of nsys cannot be read: " + what, file.string(),
                 "export it again: nsys export --type sqlite");
}

struct Export {
  const fs::path& file;
  Database database;
};

Result<Statement> prepared(const Export& from, const std::string& query) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(from.database.get(), query.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    return unreadable_export(from.file, sqlite3_errmsg(from.database.get()));
  }
  return Statement(statement);
}

// Of a table that is not there: none.
Result<std::set<std::string>> columns_of(const Export& from, const std::string& table) {
  STITCH_ASSIGN(const Statement statement, prepared(from, fmt::format("PRAGMA table_info({})", table)));
  std::set<std::string> columns;
  int state = 0;
  while ((state = sqlite3_step(statement.get())) == SQLITE_ROW) {
    const unsigned char* name = sqlite3_column_text(statement.get(), 1);
    columns.insert(name == nullptr ? "" : reinterpret_cast<const char*>(name));
  }
  return state == SQLITE_DONE ? Result<std::set<std::string>>(std::move(columns))
                              : unreadable_export(from.file, sqlite3_errmsg(from.database.get()));
}

// One kind of record: its table, and the expressions that give what a Record holds, in the order of Field.
enum Field { kStart, kEnd, kCorrelation, kBytes, kName, kBlocks, kThreads, kRegisters, kStatic, kDynamic, kLocal };
struct Source {
  RecordKind kind;
  const char* table;
  const char* columns;
  std::set<std::string> needed;
};

const std::vector<Source>& sources() {
  static const std::vector<Source> all = {
      {RecordKind::kKernel,
       "CUPTI_ACTIVITY_KIND_KERNEL",
       "start, end, correlationId, 0, (SELECT value FROM StringIds WHERE id = demangledName), gridX * gridY * gridZ, "
       "blockX * blockY * blockZ, registersPerThread, staticSharedMemory, dynamicSharedMemory, localMemoryPerThread",
       {"start", "end", "correlationId", "demangledName", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ",
        "registersPerThread", "staticSharedMemory", "dynamicSharedMemory", "localMemoryPerThread"}},
      {RecordKind::kCopy,
       "CUPTI_ACTIVITY_KIND_MEMCPY",
       "start, end, correlationId, bytes, copyKind",
       {"start", "end", "correlationId", "bytes", "copyKind"}},
      {RecordKind::kFill,
       "CUPTI_ACTIVITY_KIND_MEMSET",
       "start, end, correlationId, bytes, ''",
       {"start", "end", "correlationId", "bytes"}},
      {RecordKind::kWait,
       "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
       "start, end, correlationId, 0, ''",
       {"start", "end", "correlationId"}},
      {RecordKind::kCall,
       "CUPTI_ACTIVITY_KIND_RUNTIME",
       "start, end, correlationId, 0, (SELECT value FROM StringIds WHERE id = nameId)",
       {"start", "end", "correlationId", "nameId"}},
  };
  return all;
}

Record record_of(RecordKind kind, sqlite3_stmt* row) {
  Record record;
  record.kind = kind;
  record.start_ns = sqlite3_column_int64(row, kStart);
  record.end_ns = sqlite3_column_int64(row, kEnd);
  record.correlation = static_cast<uint64_t>(sqlite3_column_int64(row, kCorrelation));
  record.bytes = static_cast<uint64_t>(sqlite3_column_int64(row, kBytes));
  if (kind == RecordKind::kCopy) {
    record.name = copy_kind_name(sqlite3_column_int64(row, kName));
  } else if (const unsigned char* name = sqlite3_column_text(row, kName); name != nullptr) {
    record.name = reinterpret_cast<const char*>(name);
  }
  if (kind == RecordKind::kKernel) {
    const auto figure = [&](Field field) { return std::optional(sqlite3_column_double(row, field)); };
    record.shape = {figure(kBlocks), figure(kThreads), figure(kRegisters),
                    figure(kStatic), figure(kDynamic), figure(kLocal)};
  }
  return record;
}

Result<void> read_source(const Export& from, const Source& source, std::vector<Record>& records) {
  STITCH_ASSIGN(const std::set<std::string> columns, columns_of(from, source.table));
  if (columns.empty()) {
    return {};  // none of the kind happened
  }
  for (const std::string& needed : source.needed) {
    if (!columns.contains(needed)) {
      return unreadable_export(from.file, fmt::format("table {} has no column {}", source.table, needed));
    }
  }
  STITCH_ASSIGN(const Statement statement,
                prepared(from, fmt::format("SELECT {} FROM {}", source.columns, source.table)));
  int state = 0;
  while ((state = sqlite3_step(statement.get())) == SQLITE_ROW) {
    if (records.size() == kMaxRows) {
      return unreadable_export(from.file, fmt::format("more than {} records", kMaxRows));
    }
    records.push_back(record_of(source.kind, statement.get()));
    const Record& record = records.back();
    if (record.end_ns < record.start_ns || sqlite3_column_type(statement.get(), kStart) != SQLITE_INTEGER ||
        sqlite3_column_type(statement.get(), kEnd) != SQLITE_INTEGER) {
      return unreadable_export(from.file,
                               fmt::format("a row of {} has no times, or ends before it begins", source.table));
    }
  }
  return state == SQLITE_DONE ? Result<void>() : unreadable_export(from.file, sqlite3_errmsg(from.database.get()));
}

int look_at_steps(void* left) { return --*static_cast<int*>(left) <= 0 ? 1 : 0; }

}  // namespace

Result<std::vector<Record>> read_nsys(const fs::path& file) {
  sqlite3* opened = nullptr;
  const int state = sqlite3_open_v2(file.c_str(), &opened, SQLITE_OPEN_READONLY, nullptr);
  Export from{file, Database(opened)};
  if (state != SQLITE_OK) {
    return unreadable_export(file, opened == nullptr ? "no memory" : sqlite3_errmsg(opened));
  }
  int looks_left = kMaxSteps / kStepsBetweenLooks;
  sqlite3_progress_handler(opened, kStepsBetweenLooks, look_at_steps, &looks_left);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  STITCH_ASSIGN(const std::set<std::string> strings, columns_of(from, "StringIds"));
  if (!strings.contains("id") || !strings.contains("value")) {
    return unreadable_export(file, "it has no table StringIds: it is no export of nsys");
  }
  std::vector<Record> records;
  for (const Source& source : sources()) {
    STITCH_TRY(read_source(from, source, records));
  }
  return records;
}

}  // namespace stitch::profile
