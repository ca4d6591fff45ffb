// SPDX-License-Identifier: Apache-2.0
#include "driver/judge/plan_file.h"

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/json/json.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

bool leads_out(const fs::path& file) {
  const fs::path normal = file.lexically_normal();
  return normal.is_absolute() || normal.empty() || *normal.begin() == "..";
}

// Puts the text of `written.file` in the place of its name.
Result<void> take_code(Json& written, const fs::path& folder) {
  if (!written.is_object() || !written.contains("file") || written.contains("code")) {
    return {};
  }
  STITCH_ASSIGN(const std::string file, json_string(written, "file"));
  if (leads_out(file)) {
    return failure(ErrorCode::kFileInvalid, "the code of a written step lies beside its plan, not at " + file, file,
                   "put it below the plan's folder");
  }
  STITCH_ASSIGN(std::string code, read_file(folder / file));
  written["code"] = std::move(code);
  written.erase("file");
  return {};
}

}  // namespace

Result<plan::Plan> read_plan_file(const fs::path& path, const std::string& remedy) {
  STITCH_ASSIGN(const std::string text, located(read_file(path), path.string(), remedy));
  STITCH_ASSIGN(Json json, parse_json(text, path.string()));
  if (json.is_object() && json.contains("boundaries") && json["boundaries"].is_array()) {
    for (Json& boundary : json["boundaries"]) {
      if (boundary.is_object() && boundary.contains("written")) {
        STITCH_TRY(take_code(boundary["written"], path.parent_path()));
      }
    }
  }
  return located(plan::from_json(json), path.string(), remedy);
}

}  // namespace stitch::driver
