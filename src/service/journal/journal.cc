// SPDX-License-Identifier: Apache-2.0
#include "service/journal/journal.h"

#include <fmt/format.h>

#include "base/seed/seed.h"

namespace stitch::service {
namespace {

using store::internal::Row;
using store::internal::Statements;

constexpr int kVersion = 1;
constexpr const char* kTables = R"(
CREATE TABLE evaluation (id TEXT PRIMARY KEY, body TEXT, run TEXT, frame TEXT, jobs TEXT, work TEXT, phase INTEGER,
                         state TEXT, judged TEXT, is_from_cache INTEGER, created_ms INTEGER, ended_ms INTEGER)
                         WITHOUT ROWID;
CREATE INDEX evaluation_by_work ON evaluation (work, ended_ms);
CREATE INDEX evaluation_by_state ON evaluation (state);
CREATE TABLE files (sha256 TEXT PRIMARY KEY, files TEXT) WITHOUT ROWID;
CREATE TABLE secret (secret TEXT);)";

constexpr const char* kColumns =
    "SELECT id, body, run, frame, jobs, work, phase, state, judged, is_from_cache, created_ms, ended_ms FROM "
    "evaluation ";

std::string text_at(const Row& row, size_t column) {
  const auto* text = std::get_if<std::string>(&row[column]);
  return text == nullptr ? std::string() : *text;
}

int64_t number_at(const Row& row, size_t column) {
  const auto* number = std::get_if<int64_t>(&row[column]);
  return number == nullptr ? 0 : *number;
}

JournalEntry entry_of(const Row& row) {
  return {.id = text_at(row, 0),
          .body_sha256 = text_at(row, 1),
          .run = text_at(row, 2),
          .frame = text_at(row, 3),
          .jobs = text_at(row, 4),
          .work = text_at(row, 5),
          .phase = number_at(row, 6),
          .state = text_at(row, 7),
          .judged = text_at(row, 8),
          .is_from_cache = number_at(row, 9) != 0,
          .created_ms = number_at(row, 10),
          .ended_ms = number_at(row, 11)};
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::open(const std::filesystem::path& file) {
  STITCH_ASSIGN(Statements statements, Statements::open(file, kTables, kVersion));
  return std::unique_ptr<Journal>(new Journal(std::move(statements)));
}

Result<std::string> Journal::secret() {
  const std::lock_guard lock(mutex_);
  static constexpr const char* kRead = "SELECT secret FROM secret";
  static constexpr const char* kWrite = "INSERT INTO secret VALUES (?)";
  std::string secret;
  STITCH_TRY(statements_.change([&]() -> Result<void> {
    STITCH_ASSIGN(const std::vector<Row> rows, statements_.rows(kRead, {}));
    secret = rows.empty() ? std::to_string(drawn_seed()) : text_at(rows[0], 0);
    return rows.empty() ? statements_.run(kWrite, {secret}) : Result<void>();
  }));
  return secret;
}

Result<void> Journal::add(const JournalEntry& entry) {
  const std::lock_guard lock(mutex_);
  static constexpr const char* kText = "INSERT INTO evaluation VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
  return statements_.change([&] {
    return statements_.run(
        kText, {entry.id, entry.body_sha256, entry.run, entry.frame, entry.jobs, entry.work, entry.phase, entry.state,
                entry.judged, int64_t{entry.is_from_cache}, entry.created_ms, entry.ended_ms});
  });
}

Result<std::optional<JournalEntry>> Journal::find(const std::string& id) {
  const std::lock_guard lock(mutex_);
  static const std::string kText = std::string(kColumns) + "WHERE id = ?";
  STITCH_ASSIGN(const std::vector<Row> rows, statements_.rows(kText.c_str(), {id}));
  return rows.empty() ? std::optional<JournalEntry>() : entry_of(rows[0]);
}

Result<std::vector<JournalEntry>> Journal::open_ones() {
  const std::lock_guard lock(mutex_);
  static const std::string kText = std::string(kColumns) + "WHERE state = 'open' ORDER BY created_ms";
  STITCH_ASSIGN(const std::vector<Row> rows, statements_.rows(kText.c_str(), {}));
  std::vector<JournalEntry> entries;
  for (const Row& row : rows) {
    entries.push_back(entry_of(row));
  }
  return entries;
}

Result<std::optional<std::string>> Journal::judged_of(const std::string& work) {
  static constexpr const char* kText =
      "SELECT judged FROM evaluation WHERE work = ? AND state = 'done' AND judged NOT LIKE '{\"outcome\":\"infra%' "
      "ORDER BY ended_ms DESC LIMIT 1";
  return one_text(kText, work);
}

Result<void> Journal::change(const JournalEntry& entry) {
  const std::lock_guard lock(mutex_);
  static constexpr const char* kText =
      "UPDATE evaluation SET state = ?, phase = ?, judged = ?, ended_ms = ? WHERE id = ? AND state = 'open'";
  return statements_.change(
      [&] { return statements_.run(kText, {entry.state, entry.phase, entry.judged, entry.ended_ms, entry.id}); });
}

Result<void> Journal::forget_before(int64_t ended_ms) {
  const std::lock_guard lock(mutex_);
  static constexpr const char* kText = "DELETE FROM evaluation WHERE state != 'open' AND ended_ms < ?";
  return statements_.change([&] { return statements_.run(kText, {ended_ms}); });
}

Result<void> Journal::keep_files(const std::string& sha256, const std::string& files) {
  const std::lock_guard lock(mutex_);
  static constexpr const char* kText = "INSERT OR IGNORE INTO files VALUES (?, ?)";
  return statements_.change([&] { return statements_.run(kText, {sha256, files}); });
}

Result<std::optional<std::string>> Journal::files_of(const std::string& sha256) {
  static constexpr const char* kText = "SELECT files FROM files WHERE sha256 = ?";
  return one_text(kText, sha256);
}

Result<std::optional<std::string>> Journal::one_text(const char* text, const std::string& key) {
  const std::lock_guard lock(mutex_);
  STITCH_ASSIGN(const std::vector<Row> rows, statements_.rows(text, {key}));
  return rows.empty() ? std::optional<std::string>() : text_at(rows[0], 0);
}

}  // namespace stitch::service
