// SPDX-License-Identifier: Apache-2.0
// One prepared statement of the index of runs, from its text to its end.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error/result.h"

namespace stitch::runs::internal {

// What SQLite last complained of: kFileInvalid where making the index again helps, else kEnvironment.
Unexpected index_failure(sqlite3* database);

// Statements without values or rows.
Result<void> execute(sqlite3* database, const std::string& text);

class Statement {
 public:
  static Result<Statement> make(sqlite3* database, const std::string& text);

  void bind(const std::string& text);
  void bind(int64_t number);
  void bind(double number);
  void bind(const std::optional<double>& number);
  void bind(const std::optional<int>& number);
  void bind_null();
  // Whether there is a row.
  Result<bool> step();
  // For the next values.
  void reset();
  std::string text(int column) const;
  int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  double number(int column) const { return sqlite3_column_double(statement_.get(), column); }
  bool is_null(int column) const { return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL; }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

}  // namespace stitch::runs::internal
