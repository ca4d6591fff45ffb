// SPDX-License-Identifier: Apache-2.0
#include "cli/runs/remove_run.h"

#include <fmt/format.h>

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;
using runs::RunRecord;
using runs::RunStore;

bool holds(const fs::path& folder, const char* name) {
  std::error_code ignored;
  return fs::is_regular_file(folder / name, ignored);
}

// Whether optimize wrote it: nobody's home goes because a record names it.
bool is_ours(const fs::path& folder) { return holds(folder, "task.json") && holds(folder, "bundle.json"); }

Result<std::string> remove_folder(const RunStore& store, const RunRecord& record) {
  const fs::path folder = record.out;
  std::error_code error;
  if (folder.empty() || !fs::exists(folder, error)) {
    return fmt::format("run {}: no folder is left to remove", record.id);
  }
  STITCH_ASSIGN(const std::string later, later_run_in(store, record));
  if (!later.empty()) {
    return fmt::format("kept {}: the run {} wrote to it later", folder.string(), later);
  }
  if (fs::is_symlink(folder, error) || !is_ours(folder)) {
    return fmt::format("kept {}: it is not a folder that optimize wrote (no task.json and bundle.json)",
                       folder.string());
  }
  fs::remove_all(folder, error);
  if (error) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot remove {}: {}", folder.string(), error.message()),
                   folder.string(), "check its permissions");
  }
  return fmt::format("removed the folder {}", folder.string());
}

}  // namespace

Result<std::string> later_run_in(const RunStore& store, const RunRecord& record) {
  if (record.out.empty()) {
    return std::string();
  }
  STITCH_ASSIGN(const std::vector<runs::RunSummary> others, store.writing_to(record.out));
  const bool is_later =
      !others.empty() && others.front().id != record.id && others.front().started >= record.started;  // newest first
  return is_later ? others.front().id : std::string();
}

Result<std::vector<std::string>> remove_run(const RunStore& store, const RunRecord& record, bool with_folder) {
  std::vector<std::string> messages;
  if (with_folder) {
    STITCH_ASSIGN(std::string message, remove_folder(store, record));
    messages.push_back(std::move(message));
  }
  STITCH_TRY(store.remove(record.id));
  messages.push_back(fmt::format("removed the record of the run {}", record.id));
  return messages;
}

}  // namespace stitch::cli
