// SPDX-License-Identifier: Apache-2.0
#include "runs/store/run_store.h"

#include <fmt/format.h>

#include <random>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFile = "run.json";
constexpr size_t kMaxTaskLength = 48;

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
  STITCH_TRY(write_progress(record));
  tell([&](RunIndex& index) -> Result<void> {
    STITCH_ASSIGN(const IndexedRun run, read_indexed(folder_of(record.id)));
    return index.put(run);
  });
  return {};
}

Result<void> RunStore::write_progress(const RunRecord& record) const {
  // A path or a message that is no UTF-8 must not cost the record.
  return write_file(runs_ / record.id / kFile,
                    to_json(record).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

Result<std::string> RunStore::whole_id(const std::string& beginning) const {
  std::vector<std::string> fitting;
  std::error_code error;
  if (beginning.find('/') == std::string::npos && fs::exists(runs_ / beginning / kFile, error)) {
    return beginning;
  }
  for (fs::directory_iterator entry(runs_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string id = entry->path().filename().string();
    std::error_code ignored;
    if (!beginning.empty() && id.starts_with(beginning) && fs::exists(entry->path() / kFile, ignored)) {
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

Result<RunIndex> RunStore::current_index() const {
  std::error_code ignored;
  if (!fs::is_directory(runs_, ignored)) {
    return RunIndex::in_memory();  // nothing was run yet, and to look makes nothing
  }
  Result<RunIndex> index = RunIndex::open(state_);
  if (index.has_value()) {
    const Result<void> caught_up = index->catch_up(runs_);
    if (caught_up.has_value()) {
      return index;
    }
    index = failure(caught_up.error());  // and the lock is given back
  }
  if (index.error().code == ErrorCode::kFileInvalid) {
    index = RunIndex::make_again(state_);
    if (index.has_value()) {
      return index;
    }
  }
  STITCH_ASSIGN(RunIndex in_memory, RunIndex::in_memory());
  STITCH_TRY(in_memory.catch_up(runs_));
  return in_memory;
}

template <typename T>
Result<T> RunStore::ask(const std::function<Result<T>(RunIndex&)>& question) const {
  {
    STITCH_ASSIGN(RunIndex index, current_index());
    Result<T> answer = question(index);
    if (answer.has_value() || answer.error().code != ErrorCode::kFileInvalid) {
      return answer;
    }
  }
  STITCH_ASSIGN(RunIndex index, RunIndex::make_again(state_));
  return question(index);
}

void RunStore::tell(const std::function<Result<void>(RunIndex&)>& change) const {
  Result<RunIndex> index = RunIndex::open(state_);
  if (index.has_value()) {
    const Result<void> ignored = change(*index);
    static_cast<void>(ignored);
  }
}

Result<std::vector<RunSummary>> RunStore::list(const Condition& condition, int64_t now,
                                               std::optional<int64_t> limit) const {
  return ask<std::vector<RunSummary>>([&](RunIndex& index) { return index.find(condition, now, limit); });
}

Result<std::vector<RunSummary>> RunStore::writing_to(const std::string& out) const {
  return ask<std::vector<RunSummary>>([&](RunIndex& index) { return index.writing_to(out); });
}

Result<IndexTotals> RunStore::totals() const {
  return ask<IndexTotals>([](RunIndex& index) { return index.totals(); });
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
  tell([&](RunIndex& index) { return index.remove(whole); });
  return {};
}

// Each is read once more: one that the index calls ended may have been taken up again by an older stitchcuda.
void RunStore::prune(const KeepLimits& limits, int64_t now) const {
  const Result<std::vector<std::string>> ids =
      ask<std::vector<std::string>>([&](RunIndex& index) { return index.beyond(limits, now); });
  if (!ids.has_value()) {
    return;
  }
  for (const std::string& id : *ids) {
    const Result<RunRecord> record = read_record(runs_ / id);
    if (record.has_value() && record->state != RunState::kRunning) {
      const Result<void> ignored = remove(id);
      static_cast<void>(ignored);
    }
  }
}

}  // namespace stitch::runs
