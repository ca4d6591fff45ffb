// SPDX-License-Identifier: Apache-2.0
#include "knowledge/index/statement.h"

#include <sqlite3.h>

namespace stitch::knowledge {

Unexpected index_failure(sqlite3* database, const std::filesystem::path& file) {
  const int code = sqlite3_errcode(database) & 0xFF;
  const bool is_damaged = code == SQLITE_NOTADB || code == SQLITE_CORRUPT || code == SQLITE_ERROR;
  return failure(is_damaged ? ErrorCode::kFileInvalid : ErrorCode::kEnvironment,
                 std::string("the index of documents cannot be used: ") + sqlite3_errmsg(database), file.string(),
                 is_damaged ? "build it again: stitchcuda docs index" : "make room, or free what is in the way");
}

Result<Statement> Statement::make(sqlite3* database, const std::filesystem::path& file, const char* text) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(database, text, -1, &statement, nullptr) != SQLITE_OK) {
    return index_failure(database, file);
  }
  return Statement(statement);
}

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::bind(std::string_view text) {
  sqlite3_bind_text(statement_.get(), ++bound_, text.data(), static_cast<int>(text.size()), SQLITE_TRANSIENT);
}

void Statement::bind(int64_t number) { sqlite3_bind_int64(statement_.get(), ++bound_, number); }

int Statement::step() { return sqlite3_step(statement_.get()); }

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = 0;
}

std::string Statement::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

double Statement::number(int column) const { return sqlite3_column_double(statement_.get(), column); }

}  // namespace stitch::knowledge
