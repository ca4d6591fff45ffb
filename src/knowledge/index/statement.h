// SPDX-License-Identifier: Apache-2.0
// One prepared statement of SQLite, from its text to its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/error/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stitch::knowledge {

// What SQLite last complained of: kFileInvalid where the file is damaged, else kEnvironment.
Unexpected index_failure(sqlite3* database, const std::filesystem::path& file);

class Statement {
 public:
  static Result<Statement> make(sqlite3* database, const std::filesystem::path& file, const char* text);

  void bind(std::string_view text);
  void bind(int64_t number);
  // SQLITE_ROW, SQLITE_DONE or a failure.
  int step();
  void reset();
  std::string text(int column) const;
  int64_t integer(int column) const;
  double number(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  explicit Statement(sqlite3_stmt* statement) : statement_(statement) {}
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = 0;
};

}  // namespace stitch::knowledge
