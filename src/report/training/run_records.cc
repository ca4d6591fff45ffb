// SPDX-License-Identifier: Apache-2.0
#include "report/training/run_records.h"

#include <fmt/format.h>

#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::report {
namespace {

namespace fs = std::filesystem;

constexpr const char* kMetrics = "metrics.jsonl";
constexpr uintmax_t kMaxRecordBytes = uintmax_t{256} << 20;

bool is_readable(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(path, failed) && fs::file_size(path, failed) <= kMaxRecordBytes && !failed;
}

std::string text_or_empty(const fs::path& path) {
  if (!is_readable(path)) {
    return {};
  }
  Result<std::string> text = read_file(path);
  return text.has_value() ? std::move(text).value() : std::string();
}

RunRecords records_in(const fs::path& run, const std::string& name) {
  return {.name = name,
          .config = text_or_empty(run / "config.json"),
          .metrics = text_or_empty(run / kMetrics),
          .costs = text_or_empty(run / "costs.jsonl")};
}

std::string member_text(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<std::vector<RunRecords>> read_run_records(const fs::path& run) {
  if (!is_readable(run / kMetrics)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} has no {}", run.string(), kMetrics), run.string(),
                   "name a folder that `stitchcuda train` wrote: the 'run' of its configuration");
  }
  const Json mark = Json::parse(text_or_empty(run / "chain.json"), nullptr, false);
  std::vector<RunRecords> stages;
  const Json before = mark.is_object() && mark.contains("before") ? mark["before"] : Json::array();
  for (const Json& stage : before) {
    const fs::path folder = run / member_text(stage, "run");
    if (is_readable(folder / kMetrics)) {
      stages.push_back(records_in(folder, member_text(stage, "name")));
    }
  }
  std::string name = member_text(mark, "name");
  if (name.empty()) {
    std::error_code ignored;
    const fs::path whole = fs::weakly_canonical(run, ignored);
    name = (whole.filename().empty() ? whole.parent_path() : whole).filename().string();
  }
  stages.push_back(records_in(run, name));
  return stages;
}

}  // namespace stitch::report
