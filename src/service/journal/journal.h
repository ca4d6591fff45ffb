// SPDX-License-Identifier: Apache-2.0
// Evaluations as they were asked for and ended, in a file of SQLite's: a service that was killed goes on, and a request
// that is posted again is answered, not executed again. Of one process, from any of its threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "store/sqlite/statements.h"

namespace stitch::service {

struct JournalEntry {
  std::string id{};
  std::string body_sha256{};  // of the request: another body under the same id is refused
  std::string run{};
  std::string frame{};   // JSON (outcome/response.h)
  std::string jobs{};    // JSON (run/jobs_of.h)
  std::string work{};    // digest of what is asked of workers: the same for the same work
  int64_t phase = 0;     // how many of its jobs have ended
  std::string state{};   // "open", "done", "cancelled"
  std::string judged{};  // JSON (outcome/judged.h)
  bool is_from_cache = false;
  int64_t created_ms = 0;  // since 1970
  int64_t ended_ms = 0;
};

class Journal {
 public:
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& file);

  // A number that only this journal has, drawn when it was made.
  Result<std::string> secret();
  Result<void> add(const JournalEntry& entry);
  Result<std::optional<JournalEntry>> find(const std::string& id);
  Result<std::vector<JournalEntry>> open_ones();
  // What the same work came to, the newest first; without what the world's failure ended.
  Result<std::optional<std::string>> judged_of(const std::string& work);
  // `state`, `phase`, `judged` and `ended_ms` of one that is open; what has ended stays.
  Result<void> change(const JournalEntry& entry);
  Result<void> forget_before(int64_t ended_ms);

  // What a candidate or a feedback was laid out as, by digest; nullopt where it is not known.
  Result<void> keep_files(const std::string& sha256, const std::string& files);
  Result<std::optional<std::string>> files_of(const std::string& sha256);

 private:
  explicit Journal(store::internal::Statements statements) : statements_(std::move(statements)) {}
  Result<std::optional<std::string>> one_text(const char* text, const std::string& key);
  std::mutex mutex_;
  store::internal::Statements statements_;
};

}  // namespace stitch::service
