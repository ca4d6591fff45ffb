// SPDX-License-Identifier: Apache-2.0
#include "runs/index/statement.h"

namespace stitch::runs::internal {

Unexpected index_failure(sqlite3* database) {
  const int code = sqlite3_errcode(database) & 0xFF;
  const bool is_damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR ||
                          code == SQLITE_MISMATCH || code == SQLITE_CONSTRAINT || code == SQLITE_FORMAT;
  return failure(is_damaged ? ErrorCode::kFileInvalid : ErrorCode::kEnvironment,
                 std::string("the index of runs cannot be used: ") + sqlite3_errmsg(database));
}

Result<void> execute(sqlite3* database, const std::string& text) {
  return sqlite3_exec(database, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK
             ? Result<void>()
             : Result<void>(index_failure(database));
}

Result<Statement> Statement::make(sqlite3* database, const std::string& text) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, text.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
    return index_failure(database);
  }
  return Statement(statement);
}

void Statement::bind(const std::string& text) {
  sqlite3_bind_text64(statement_.get(), ++bound_, text.data(), text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
}
void Statement::bind(int64_t number) { sqlite3_bind_int64(statement_.get(), ++bound_, number); }
void Statement::bind(double number) { sqlite3_bind_double(statement_.get(), ++bound_, number); }
void Statement::bind_null() { sqlite3_bind_null(statement_.get(), ++bound_); }

void Statement::bind(const std::optional<double>& number) {
  if (number.has_value()) {
    bind(*number);
  } else {
    bind_null();
  }
}

void Statement::bind(const std::optional<int>& number) {
  if (number.has_value()) {
    bind(static_cast<int64_t>(*number));
  } else {
    bind_null();
  }
}

Result<bool> Statement::step() {
  const int status = sqlite3_step(statement_.get());
  if (status == SQLITE_ROW || status == SQLITE_DONE) {
    return status == SQLITE_ROW;
  }
  return index_failure(sqlite3_db_handle(statement_.get()));
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

}  // namespace stitch::runs::internal
