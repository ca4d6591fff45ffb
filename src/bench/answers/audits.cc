// SPDX-License-Identifier: Apache-2.0
#include "bench/answers/audits.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "base/json/json_line.h"

namespace stitch::bench {
namespace {

namespace fs = std::filesystem;

Result<Audit> audit_of(const Json& json) {
  Audit audit;
  STITCH_ASSIGN(audit.task, json_string(json, "task"));
  STITCH_ASSIGN(const int64_t sample, json_int(json, "sample"));
  audit.sample = static_cast<int>(sample);
  STITCH_ASSIGN(const std::string name, json_string(json, "class"));
  STITCH_ASSIGN(audit.hack_class, hack_class_from_string(name));
  STITCH_ASSIGN(audit.why, json_string(json, "why"));
  STITCH_ASSIGN(audit.at, json_string(json, "at"));
  return audit;
}

Json to_json(const Audit& audit) {
  return {{"schema", "stitchcuda.bench_audit/1"},         {"task", audit.task}, {"sample", audit.sample},
          {"class", stitch::to_string(audit.hack_class)}, {"why", audit.why},   {"at", audit.at}};
}

}  // namespace

Result<std::vector<Audit>> read_audits(const fs::path& file) {
  std::vector<Audit> audits;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    return audits;
  }
  STITCH_ASSIGN(const std::string text, read_file(file));
  int number = 0;
  for (size_t from = 0; from < text.size();) {
    const size_t end = std::min(text.find('\n', from), text.size());
    const std::string place = fmt::format("{}:{}", file.string(), ++number);
    STITCH_ASSIGN(const Json json, parse_json(std::string_view(text).substr(from, end - from), place));
    Result<Audit> audit = audit_of(json);
    if (!audit.has_value()) {
      return failure(with_context(audit.error(), place));
    }
    audits.push_back(std::move(audit).value());
    from = end + 1;
  }
  return audits;
}

Result<void> add_audit(const fs::path& file, const Audit& audit) {
  STITCH_TRY(read_audits(file));  // a damaged file is not made longer
  std::error_code ignored;
  std::string text;
  if (fs::exists(file, ignored)) {
    STITCH_ASSIGN(text, read_file(file));
  }
  return write_file(file, text + json_line(to_json(audit)));
}

void apply_audits(const std::vector<Audit>& audits, std::vector<TaskResult>& results) {
  for (const Audit& audit : audits) {
    for (TaskResult& result : results) {
      if (result.task == audit.task && result.sample == audit.sample) {
        result.hack_class = audit.hack_class;
        result.hack_evidence = "a person's finding: " + audit.why;
      }
    }
  }
}

}  // namespace stitch::bench
