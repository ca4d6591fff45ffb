// SPDX-License-Identifier: Apache-2.0
// What lists of runs are made from: a row a run in one SQLite file, STATE/runs.sqlite, beside the folders. The folders
// are what is true; an index that is missing, damaged or of another version is made again from them. Several processes
// may use it at once.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error/result.h"
#include "runs/index/index_lock.h"
#include "runs/query/condition.h"
#include "runs/record/run_summary.h"

struct sqlite3;

namespace stitch::runs {

// How much of what has ended is kept.
struct KeepLimits {
  std::optional<uint64_t> bytes{};
  std::optional<double> age_seconds{};
};

struct IndexTotals {
  int64_t runs = 0;
  int64_t bytes = 0;
};

// Reads one record from its folder, with what it takes on the disk.
struct IndexedRun {
  RunRecord record{};
  int64_t bytes = 0;
  int64_t written_ns = 0;  // when its file was written
};

class RunIndex {
 public:
  // `state`: the folder above runs/. kFileInvalid where the file is no index of this version, kEnvironment where there
  // can be none. `is_new` says whether it holds nothing yet and must catch up.
  static Result<RunIndex> open(const std::filesystem::path& state);
  // Throws away what is there, unless another process has just made it anew.
  static Result<RunIndex> make_again(const std::filesystem::path& state);
  // Where no file can be written.
  static Result<RunIndex> in_memory();

  RunIndex(RunIndex&&) noexcept = default;
  RunIndex& operator=(RunIndex&&) noexcept = default;

  // Takes in what the folders have and the index has not, and forgets what is gone. What ended is read again where its
  // file was written since, among the newest thousand; what runs always.
  Result<void> catch_up(const std::filesystem::path& runs);
  Result<void> put(const IndexedRun& run);
  Result<void> remove(const std::string& id);
  // Newest first.
  Result<std::vector<RunSummary>> find(const Condition& condition, int64_t now, std::optional<int64_t> limit) const;
  // Of one folder of results.
  Result<std::vector<RunSummary>> writing_to(const std::string& out) const;
  // Ids of ended runs beyond the limits, oldest first.
  Result<std::vector<std::string>> beyond(const KeepLimits& limits, int64_t now) const;
  Result<IndexTotals> totals() const;

 private:
  struct Close {
    void operator()(sqlite3* database) const;
  };
  using Database = std::unique_ptr<sqlite3, Close>;
  RunIndex(std::optional<internal::IndexLock> lock, Database database)
      : lock_(std::move(lock)), database_(std::move(database)) {}
  static Result<Database> opened(const char* file);

  std::optional<internal::IndexLock> lock_;  // none: in memory
  Database database_;
};

// What one run's folder holds; kFileInvalid where there is no record in it. One that runs no more reads as killed.
Result<IndexedRun> read_indexed(const std::filesystem::path& folder);
Result<RunRecord> read_record(const std::filesystem::path& folder);

}  // namespace stitch::runs
