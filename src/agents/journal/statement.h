// SPDX-License-Identifier: Apache-2.0
// One prepared statement of a journal, from its text to its end.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <string>

#include "base/error/result.h"

namespace stitch::agents::internal {

Unexpected broken(sqlite3* database, const std::string& file);

class Statement {
 public:
  static Result<Statement> make(sqlite3* database, const std::string& file, const char* text);

  void bind(const std::string& text);
  void bind(int64_t number);
  int step() { return sqlite3_step(statement_.get()); }
  std::string text(int column) const;
  int64_t number(int column) const { return sqlite3_column_int64(statement_.get(), column); }

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

}  // namespace stitch::agents::internal
