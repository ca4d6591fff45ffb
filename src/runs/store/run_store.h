// SPDX-License-Identifier: Apache-2.0
// Where records of runs are kept: STATE/runs/ID/run.json, and an index of them beside (runs/index/run_index.h). Safe
// while other processes use the same folder: a record appears whole or not at all. An index that cannot be written
// costs time and never a record.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/fs/state_folder.h"
#include "runs/index/run_index.h"
#include "runs/query/condition.h"
#include "runs/record/run_record.h"
#include "runs/record/run_summary.h"

namespace stitch::runs {

// A year, and more than most disks would miss: records of agents hold answers that were paid for.
constexpr KeepLimits kDefaultKeep{uint64_t{10} << 30, 365.0 * 86'400};

class RunStore {
 public:
  // `state`: the folder above runs/.
  explicit RunStore(std::filesystem::path state) : state_(std::move(state)), runs_(state_ / "runs") {}

  // An id that no run in the store has: the time, the task's name and four digits that are random.
  std::string new_id(const std::string& task, int64_t seconds_since_1970) const;
  Result<void> write(const RunRecord& record) const;
  // How far one is that runs; lists read it from its folder.
  Result<void> write_progress(const RunRecord& record) const;
  // Reads a record by its id or an unambiguous beginning of it. A running one whose process is gone reads as killed.
  Result<RunRecord> read(const std::string& id) const;
  // Newest first; what is no record is passed over. `now`: seconds since 1970, which ages are counted to.
  Result<std::vector<RunSummary>> list(const Condition& condition = {}, int64_t now = 0,
                                       std::optional<int64_t> limit = {}) const;
  // Newest first.
  Result<std::vector<RunSummary>> writing_to(const std::string& out) const;
  Result<void> remove(const std::string& id) const;
  // Removes the oldest that ended until both limits hold.
  void prune(const KeepLimits& limits, int64_t now) const;
  Result<IndexTotals> totals() const;

  std::filesystem::path folder_of(const std::string& id) const { return runs_ / id; }
  const std::filesystem::path& folder() const { return runs_; }

 private:
  Result<std::string> whole_id(const std::string& beginning) const;
  // Asks an index that has caught up; one that turns out to be damaged is made again, and asked again.
  template <typename T>
  Result<T> ask(const std::function<Result<T>(RunIndex&)>& question) const;
  Result<RunIndex> current_index() const;
  // Tells the index, where there is one: the next list takes in what it was not told.
  void tell(const std::function<Result<void>(RunIndex&)>& change) const;

  std::filesystem::path state_;
  std::filesystem::path runs_;
};

using stitch::state_folder;

}  // namespace stitch::runs
