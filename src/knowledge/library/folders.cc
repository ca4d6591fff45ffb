// SPDX-License-Identifier: Apache-2.0
#include "knowledge/library/folders.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/guard/guarded.h"
#include "base/json/json.h"

namespace stitch::knowledge {
namespace {

namespace fs = std::filesystem;

fs::path list_file(const fs::path& own) { return own / "folders.json"; }

fs::path absolute_folder(const std::string& folder) {
  std::error_code ignored;
  fs::path path = fs::absolute(folder, ignored).lexically_normal();
  return path.filename().empty() ? path.parent_path() : path;
}

Result<void> write_folders(const fs::path& own, const std::vector<fs::path>& folders) {
  Json list = Json::array();
  for (const fs::path& folder : folders) {
    list.push_back(folder.string());
  }
  STITCH_ASSIGN(const std::string text, guarded([&] { return Json{{"folders", list}}.dump(2); }, ErrorCode::kUsage,
                                                "the name of a folder is not valid UTF-8"));
  return write_file(list_file(own), text + "\n");
}

}  // namespace

Result<std::vector<fs::path>> read_folders(const fs::path& own) {
  std::error_code ignored;
  std::vector<fs::path> folders;
  if (!fs::exists(list_file(own), ignored)) {
    return folders;
  }
  STITCH_ASSIGN(const std::string text, read_file(list_file(own)));
  const Result<Json> json = parse_json(text, "folders.json");
  const auto bad = [&] {
    return failure(ErrorCode::kFileInvalid, "the list of your folders of documents is damaged", list_file(own).string(),
                   "remove the file, and name the folders again: stitchcuda docs index DIR");
  };
  if (!json.has_value() || !json->is_object()) {
    return bad();
  }
  const Result<const Json*> list = json_array(*json, "folders");
  if (!list.has_value()) {
    return bad();
  }
  for (const Json& folder : **list) {
    if (!folder.is_string()) {
      return bad();
    }
    folders.emplace_back(folder.get<std::string>());
  }
  return folders;
}

Result<void> add_folders(const fs::path& own, const std::vector<std::string>& folders) {
  STITCH_ASSIGN(std::vector<fs::path> remembered, read_folders(own));
  for (const std::string& folder : folders) {
    const fs::path path = absolute_folder(folder);
    std::error_code ignored;
    if (!fs::is_directory(path, ignored)) {
      return failure(ErrorCode::kUsage, fmt::format("{} is no folder", folder), "", "name a folder of documents");
    }
    if (std::find(remembered.begin(), remembered.end(), path) == remembered.end()) {
      remembered.push_back(path);
    }
  }
  return write_folders(own, remembered);
}

Result<void> forget_folders(const fs::path& own, const std::vector<std::string>& folders) {
  STITCH_ASSIGN(std::vector<fs::path> remembered, read_folders(own));
  for (const std::string& folder : folders) {
    if (std::erase(remembered, absolute_folder(folder)) == 0) {
      return failure(ErrorCode::kUsage, fmt::format("{} is not in the index", folder), "",
                     "stitchcuda docs index lists the folders that are");
    }
  }
  return write_folders(own, remembered);
}

}  // namespace stitch::knowledge
