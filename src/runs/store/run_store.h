// SPDX-License-Identifier: Apache-2.0
// Where records of runs are kept: STATE/runs/ID/run.json. Safe while other processes use the same folder: a record
// appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/fs/state_folder.h"
#include "runs/record/run_record.h"

namespace stitch::runs {

class RunStore {
 public:
  // `state`: the folder above runs/.
  explicit RunStore(std::filesystem::path state) : runs_(std::move(state) / "runs") {}

  // An id that no run in the store has: the time, the task's name and four digits that are random.
  std::string new_id(const std::string& task, int64_t seconds_since_1970) const;
  Result<void> write(const RunRecord& record) const;
  // Reads a record by its id or an unambiguous beginning of it. A running one whose process is gone reads as killed.
  Result<RunRecord> read(const std::string& id) const;
  // Newest first; what is no record is passed over.
  std::vector<RunRecord> list() const;
  Result<void> remove(const std::string& id) const;
  // Removes the oldest until `kept` are left; never one that runs.
  void prune(size_t kept) const;

  std::filesystem::path folder_of(const std::string& id) const { return runs_ / id; }
  const std::filesystem::path& folder() const { return runs_; }

 private:
  Result<std::string> whole_id(const std::string& beginning) const;

  std::filesystem::path runs_;
};

using stitch::state_folder;

}  // namespace stitch::runs
