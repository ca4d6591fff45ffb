// SPDX-License-Identifier: Apache-2.0
// Holds the index against the folders, which are what is true.
#include <dirent.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "runs/index/run_index.h"
#include "runs/index/statement.h"

namespace stitch::runs {
namespace {

namespace fs = std::filesystem;
using internal::execute;
using internal::Statement;

constexpr const char* kFile = "run.json";
// Whose files are looked at: an older stitchcuda that goes on with a run does not tell the index.
constexpr size_t kNewest = 1000;

struct IndexedId {
  std::string id{};
  bool is_running = false;
  int64_t written_ns = 0;
};

int64_t written_ns(const fs::path& folder) {
  struct ::stat found {};
  if (::stat((folder / kFile).c_str(), &found) != 0) {
    return -1;
  }
  return static_cast<int64_t>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec;
}

// Names of folders, in order. readdir() tells what is a folder; to ask for each would take as long as all the rest.
std::vector<std::string> folders_in(const fs::path& folder) {
  std::vector<std::string> names;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), &::closedir);
  while (const dirent* entry = open == nullptr ? nullptr : ::readdir(open.get())) {
    if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN || entry->d_type == DT_LNK) &&
        entry->d_name[0] != '.') {
      names.emplace_back(entry->d_name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

Result<std::vector<IndexedId>> ids_of(sqlite3* database) {
  STITCH_ASSIGN(Statement statement,
                Statement::make(database, "SELECT id, state = 'running', written_ns FROM runs ORDER BY id"));
  std::vector<IndexedId> ids;
  while (true) {
    STITCH_ASSIGN(const bool is_row, statement.step());
    if (!is_row) {
      return ids;
    }
    ids.push_back({statement.text(0), statement.integer(1) != 0, statement.integer(2)});
  }
}

struct Changes {
  std::vector<std::string> read{};  // folders that are new, or may have changed
  std::vector<std::string> gone{};
};

// Both in order.
Changes changes_between(const fs::path& runs, const std::vector<std::string>& names,
                        const std::vector<IndexedId>& ids) {
  Changes changes;
  size_t at = 0;
  for (size_t i = 0; i < names.size(); ++i) {
    for (; at < ids.size() && ids[at].id < names[i]; ++at) {
      changes.gone.push_back(ids[at].id);
    }
    const bool is_known = at < ids.size() && ids[at].id == names[i];
    const bool is_among_newest = names.size() - i <= kNewest;
    if (!is_known || ids[at].is_running || (is_among_newest && ids[at].written_ns != written_ns(runs / names[i]))) {
      changes.read.push_back(names[i]);
    }
    at += is_known ? 1 : 0;
  }
  for (; at < ids.size(); ++at) {
    changes.gone.push_back(ids[at].id);
  }
  return changes;
}

int64_t bytes_in(const fs::path& folder) {
  int64_t bytes = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    const uintmax_t size = entry->is_regular_file(ignored) ? entry->file_size(ignored) : 0;
    bytes += ignored ? 0 : static_cast<int64_t>(size);
  }
  return bytes;
}

}  // namespace

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

Result<IndexedRun> read_indexed(const fs::path& folder) {
  const int64_t written = written_ns(folder);  // before it is read: what is written meanwhile is seen next time
  STITCH_ASSIGN(RunRecord record, read_record(folder));
  return IndexedRun{std::move(record), bytes_in(folder), written};
}

// One transaction: of two that catch up, the second finds what the first has done.
Result<void> RunIndex::catch_up(const fs::path& runs) {
  STITCH_ASSIGN(const std::vector<IndexedId> ids, ids_of(database_.get()));
  const std::vector<std::string> names = folders_in(runs);  // after the ids: a run that has just begun is not forgotten
  const Changes changes = changes_between(runs, names, ids);
  if (changes.read.empty() && changes.gone.empty()) {
    return {};
  }
  STITCH_TRY(execute(database_.get(), "BEGIN IMMEDIATE"));
  for (const std::string& name : changes.read) {
    const Result<IndexedRun> run = read_indexed(runs / name);
    STITCH_TRY(run.has_value() ? put(*run) : remove(name));
  }
  for (const std::string& id : changes.gone) {
    STITCH_TRY(remove(id));
  }
  return execute(database_.get(), "COMMIT");
}

}  // namespace stitch::runs
