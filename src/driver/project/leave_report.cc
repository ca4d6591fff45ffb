// SPDX-License-Identifier: Apache-2.0
#include "driver/project/leave_report.h"

#include "base/fs/files.h"
#include "base/json/json.h"
#include "report/folder/read_texts.h"
#include "report/report.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxSourceBytes = uintmax_t{1} << 20;

// What was judged, kept as it was: the user's files may change afterwards, and the verdict can be repeated from these.
Result<void> keep_program(const Task& task, const ImportedProgram& imported, const fs::path& folder) {
  std::error_code failed;
  fs::remove_all(folder, failed);  // of an earlier run
  for (const std::string& name : imported.sources) {
    const fs::path path = fs::path(task.file).parent_path() / name;
    if (fs::file_size(path, failed) > kMaxSourceBytes || failed) {
      continue;
    }
    const Result<std::string> text = read_file(path);
    if (text.has_value()) {
      STITCH_TRY(write_file(folder / name, *text));
    }
  }
  return {};
}

}  // namespace

Result<void> write_report(const Resources& resources, const fs::path& folder, const fs::path& page) {
  STITCH_ASSIGN(const report::FolderTexts texts, report::read_texts(folder));
  STITCH_ASSIGN(const report::PageAssets assets, report::read_assets(resources.report()));
  STITCH_ASSIGN(const std::string text, report::render_report(texts, assets));
  return write_file(page, text);
}

Result<void> leave_report(Job& job, const Task& task, const ImportedProgram& imported,
                          const std::vector<std::string>& given, const fs::path& folder) {
  const fs::path evidence = folder / "evidence";
  std::error_code ignored;
  const std::vector<std::string> arguments(given.begin() + (given.empty() ? 0 : 1), given.end());
  const Json command = {{"schema", "stitchcuda.command/1"},
                        {"arguments", arguments},
                        {"folder", fs::current_path(ignored).string()},
                        {"torch_version", imported.torch_version}};
  STITCH_TRY(write_file(evidence / "command.json", command.dump(1, ' ', false, Json::error_handler_t::replace) + "\n"));
  STITCH_TRY(keep_program(task, imported, evidence / "program"));
  return write_report(job.resources(), folder, folder / "report.html");
}

}  // namespace stitch::driver
