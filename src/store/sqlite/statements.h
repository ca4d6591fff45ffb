// SPDX-License-Identifier: Apache-2.0
// One SQLite file: its prepared statements, and changes that happen whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "base/error/result.h"
#include "base/process/descriptor.h"

struct sqlite3;
struct sqlite3_stmt;

namespace stitch::store::internal {

using Value = std::variant<int64_t, std::string>;
using Row = std::vector<Value>;

class Statements {
 public:
  // kEnvironment when the file cannot be written, kFileInvalid when it is no store of ours.
  static Result<Statements> open(const std::filesystem::path& file, const char* schema, int version);
  Statements(Statements&&) noexcept;
  Statements& operator=(Statements&&) noexcept;
  ~Statements();

  // `text` must outlive this: a statement is prepared once and known by its address.
  Result<std::vector<Row>> rows(const char* text, std::initializer_list<Value> values);
  Result<void> run(const char* text, std::initializer_list<Value> values);
  // Under the write lock from the start; an Error undoes what was done. Writers wait for each other on a lock of the
  // kernel's and not on SQLite's, which looks again and again, later and later.
  Result<void> change(const std::function<Result<void>()>& work);

 private:
  Statements() = default;
  struct Close {
    void operator()(sqlite3* database) const;
    void operator()(sqlite3_stmt* statement) const;
  };
  Result<void> make_tables(const char* schema, int version);
  Result<void> execute(const std::string& text);
  Unexpected broken();

  std::string file_;
  Descriptor lock_;
  std::unique_ptr<sqlite3, Close> database_;
  std::map<const char*, std::unique_ptr<sqlite3_stmt, Close>> prepared_;  // before it: they go first
};

}  // namespace stitch::store::internal
