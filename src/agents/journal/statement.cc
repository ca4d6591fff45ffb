// SPDX-License-Identifier: Apache-2.0
#include "agents/journal/statement.h"

namespace stitch::agents::internal {

Unexpected broken(sqlite3* database, const std::string& file) {
  const int code = sqlite3_errcode(database);
  const bool is_no_database = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
  return failure(is_no_database ? ErrorCode::kFileInvalid : ErrorCode::kEnvironment,
                 std::string("the journal of the run cannot be used: ") + sqlite3_errmsg(database), file,
                 is_no_database ? "begin the run again" : "make room on the disk, then resume the run");
}

Result<Statement> Statement::make(sqlite3* database, const std::string& file, const char* text) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, text, -1, &statement, nullptr) != SQLITE_OK) {
    return broken(database, file);
  }
  return Statement(statement);
}

void Statement::bind(const std::string& text) {
  sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}

void Statement::bind(int64_t number) { sqlite3_bind_int64(statement_.get(), ++bound_, number); }

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes == nullptr ? ""
                          : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

}  // namespace stitch::agents::internal
