// SPDX-License-Identifier: Apache-2.0
#include "runs/store/run_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "run.json";
constexpr size_t kMaxTaskLength = 48;

// Folders' names that could be ids, newest first: ids begin with their time.
std::vector<std::string> ids_in(const fs::path& folder) {
  std::vector<std::string> ids;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (fs::exists(entry->path() / kFile, ignored)) {
      ids.push_back(entry->path().filename().string());
    }
  }
  std::sort(ids.rbegin(), ids.rend());
  return ids;
}

Result<RunRecord> read_record(const fs::path& folder) {
  STITCH_ASSIGN(const std::string text, read_file(folder / kFile));
  STITCH_ASSIGN(const Json json, parse_json(text, (folder / kFile).string()));
  STITCH_ASSIGN(RunRecord record, run_record_from_json(json));
  if (record.id != folder.filename().string()) {
    return failure(ErrorCode::kFileInvalid, "the record of a run lies in a folder of another name", folder.string());
  }
  if (record.state == RunState::kRunning && !is_alive(record.process)) {
    record.state = RunState::kKilled;
  }
  return record;
}

}  // namespace

std::string RunStore::new_id(const std::string& task, int64_t seconds_since_1970) const {
  std::random_device random;
  std::string id;
  std::error_code ignored;
  do {
    id =
        fmt::format("{}-{}-{:04x}", utc_digits(seconds_since_1970), task.substr(0, kMaxTaskLength), random() & 0xffffU);
  } while (fs::exists(runs_ / id, ignored));
  return id;
}

Result<void> RunStore::write(const RunRecord& record) const {
  // A path or a message that is no UTF-8 must not cost the record.
  return write_file(runs_ / record.id / kFile,
                    to_json(record).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<std::string> RunStore::whole_id(const std::string& beginning) const {
  std::vector<std::string> fitting;
  for (const std::string& id : ids_in(runs_)) {
    if (id == beginning) {
      return id;
    }
    if (!beginning.empty() && id.starts_with(beginning)) {
      fitting.push_back(id);
    }
  }
  if (fitting.size() == 1) {
    return fitting.front();
  }
  return failure(ErrorCode::kUsage,
                 fitting.empty() ? fmt::format("there is no run {}", beginning)
                                 : fmt::format("{} runs begin with {}", fitting.size(), beginning),
                 runs_.string(), "see `stitchcuda runs list`");
}

Result<RunRecord> RunStore::read(const std::string& id) const {
  STITCH_ASSIGN(const std::string whole, whole_id(id));
  return read_record(runs_ / whole);
}

std::vector<RunRecord> RunStore::list() const {
  std::vector<RunRecord> records;
  for (const std::string& id : ids_in(runs_)) {
    Result<RunRecord> record = read_record(runs_ / id);
    if (record.has_value()) {
      records.push_back(std::move(record).value());
    }
  }
  return records;
}

Result<void> RunStore::remove(const std::string& id) const {
  STITCH_ASSIGN(const std::string whole, whole_id(id));
  std::error_code error;
  fs::remove_all(runs_ / whole, error);
  if (error) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("cannot remove the record of the run {}: {}", whole, error.message()),
                   (runs_ / whole).string(), "check its permissions");
  }
  return {};
}

void RunStore::prune(size_t kept) const {
  const std::vector<std::string> ids = ids_in(runs_);
  for (size_t i = kept; i < ids.size(); ++i) {
    const Result<RunRecord> record = read_record(runs_ / ids[i]);
    if (!record.has_value() || record->state != RunState::kRunning) {
      std::error_code ignored;
      fs::remove_all(runs_ / ids[i], ignored);
    }
  }
}

}  // namespace stitch::runs
