// SPDX-License-Identifier: Apache-2.0
#include "runs/evidence/manifest.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error/located.h"
#include "base/fs/files.h"
#include "base/guard/guarded.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"

namespace stitch::runs {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = "stitchcuda.manifest/1";
constexpr const char* kRemedy = "run `stitchcuda optimize` on the program again";

// Names relative to `folder` of what lies below folder / `below` and is `of_kind`, sorted. Links are not followed.
template <typename OfKind>
std::vector<std::string> names_below(const fs::path& folder, const std::string& below, const OfKind& of_kind) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder / below, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    std::error_code ignored;
    if (of_kind(entry->symlink_status(ignored))) {
      names.push_back(entry->path().lexically_relative(folder).string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_regular(const fs::file_status& status) { return fs::is_regular_file(status); }
// A link is one too: what it leads to is not on record.
bool is_no_folder(const fs::file_status& status) { return !fs::is_directory(status); }

bool stays_inside(const std::string& name) {
  const fs::path path = fs::path(name).lexically_normal();
  return !path.empty() && path.is_relative() && *path.begin() != "..";
}

Result<Json> read_manifest(const std::string& text, const std::string& path) {
  STITCH_ASSIGN(Json json, located(parse_json(text, path), path, kRemedy));
  const bool is_ours = json.is_object() && json.contains("schema") && json["schema"] == kSchema &&
                       json.contains("files") && json["files"].is_object();
  const Unexpected foreign =
      failure(ErrorCode::kFileInvalid, fmt::format("{} is no manifest of a run", path), path, kRemedy);
  if (!is_ours) {
    return foreign;
  }
  for (const auto& [name, digest] : json["files"].items()) {
    if (!digest.is_string() || !stays_inside(name)) {
      return foreign;
    }
  }
  return std::move(json["files"]);
}

}  // namespace

Result<void> write_manifest(const fs::path& folder) {
  Json files = Json::object();
  for (const std::string& name : names_below(folder, "", is_regular)) {
    if (name != kManifest) {
      STITCH_ASSIGN(const std::string text, read_file(folder / name));
      files[name] = sha256_hex(text);
    }
  }
  const Json manifest = {{"schema", kSchema}, {"files", std::move(files)}};
  STITCH_ASSIGN(const std::string text, guarded([&] { return manifest.dump(1); }, ErrorCode::kFileInvalid,
                                                "a file below " + folder.string() + " has a name that is not UTF-8"));
  return write_file(folder / kManifest, text + "\n");
}

std::string ManifestCheck::message() const {
  std::vector<std::string> parts;
  for (const auto& [what, names] : {std::pair("changed", &changed), {"missing", &missing}, {"added", &added}}) {
    if (!names->empty()) {
      parts.push_back(fmt::format("{}: {}", what, fmt::join(*names, ", ")));
    }
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

Result<ManifestCheck> check_manifest(const fs::path& folder) {
  const std::string path = (folder / kManifest).string();
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is no file", path), path, kRemedy);
  }
  STITCH_ASSIGN(const std::string text, located(read_file(path), path, kRemedy));
  STITCH_ASSIGN(const Json files, read_manifest(text, path));
  ManifestCheck check;
  check.digest = sha256_hex(text);
  check.files = static_cast<int>(files.size());
  for (const auto& [name, digest] : files.items()) {
    std::error_code ignored;
    const bool is_file = is_regular(fs::symlink_status(folder / name, ignored));  // a pipe would be waited for
    const Result<std::string> now = is_file ? read_file(folder / name) : failure(ErrorCode::kFileInvalid, "no file");
    if (!now.has_value()) {
      check.missing.push_back(name);
    } else if (sha256_hex(*now) != digest.get<std::string>()) {
      check.changed.push_back(name);
    }
  }
  for (const char* below : {"evidence", "steps"}) {
    for (const std::string& name : names_below(folder, below, is_no_folder)) {
      if (name != kManifest && !files.contains(name)) {
        check.added.push_back(name);
      }
    }
  }
  return check;
}

}  // namespace stitch::runs
