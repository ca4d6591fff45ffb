// SPDX-License-Identifier: Apache-2.0
#include "cli/stages/project.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"

namespace stitch::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCaptured = "captured";
constexpr const char* kDigests = "evidence/digests.json";  // SHA-256 of every source as we wrote it

Json digests_of(const SourceBundle& bundle) {
  Json digests = Json::object();
  for (const auto& [path, text] : bundle.files) {
    digests[path] = sha256_hex(text);
  }
  return digests;
}

// A name from a file that anyone could have altered must not lead out of the folder.
bool stays_inside(const std::string& name) {
  const fs::path path(name);
  return path.is_relative() && std::find(path.begin(), path.end(), fs::path("..")) == path.end();
}

// What we wrote last time; empty when this is the first.
Json earlier_digests(const fs::path& folder) {
  const Result<std::string> text = read_file(folder / kDigests);
  if (!text.has_value()) {
    return Json::object();
  }
  const Result<Json> parsed = parse_json(*text, kDigests);
  return parsed.has_value() && parsed->is_object() ? *parsed : Json::object();
}

// A source that was there but is not as we wrote it: the user's work.
bool was_edited(const fs::path& path, const Json& earlier, const std::string& name) {
  const Result<std::string> text = read_file(path);
  return text.has_value() && earlier.contains(name) && earlier[name] != sha256_hex(*text);
}

Result<void> keep_edited(const fs::path& path) {
  std::error_code error;
  fs::rename(path, path.string() + ".edited", error);
  if (error) {
    return failure(ErrorCode::kEnvironment,
                   fmt::format("cannot keep your edited {}: {}", path.string(), error.message()), path.string(),
                   "choose another folder with --out");
  }
  return {};
}

Result<void> make_room(const SourceBundle& bundle, const fs::path& folder, const Json& earlier) {
  for (const auto& [name, digest] : earlier.items()) {
    if (!stays_inside(name)) {
      continue;
    }
    const fs::path path = folder / name;
    const auto fresh = bundle.files.find(name);
    if (was_edited(path, earlier, name)) {
      STITCH_TRY(keep_edited(path));
    } else if (fresh == bundle.files.end()) {
      std::error_code ignored;
      fs::remove(path, ignored);
    }
  }
  return {};
}

// The folder itself, or the nearest one above it that is there.
fs::path nearest_existing(fs::path folder) {
  std::error_code ignored;
  folder = fs::absolute(folder, ignored).lexically_normal();
  while (!fs::exists(folder, ignored) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  return folder;
}

// Files that are not ours. A program that was handed over alive lies in the folder before the run.
bool holds_others(const fs::path& folder) {
  std::error_code ignored;
  if (fs::exists(folder / "bundle.json", ignored)) {
    return false;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename() != kCaptured || !fs::exists(entry.path() / "program.json", ignored)) {
      return true;
    }
  }
  return false;
}

// procfs and a read-only mount say yes to root when asked by mode bits alone: what counts is making something there.
Result<void> check_writable(const fs::path& folder) {
  const fs::path base = nearest_existing(folder);
  const Result<TemporaryDirectory> probe = TemporaryDirectory::make(".stitchcuda", base);
  if (!probe.has_value()) {
    return failure(ErrorCode::kEnvironment, fmt::format("nothing can be written into {}", base.string()), base.string(),
                   "name a folder you may write to with --out");
  }
  return {};
}

}  // namespace

Result<void> check_output_folder(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    return check_writable(folder);
  }
  if (!fs::is_directory(folder, ignored)) {
    return failure(ErrorCode::kUsage, fmt::format("{} is a file, not a folder", folder.string()), folder.string(),
                   "name another folder with --out");
  }
  if (holds_others(folder)) {
    return failure(ErrorCode::kUsage, fmt::format("{} holds files that stitchcuda did not write", folder.string()),
                   folder.string(), "name a new or empty folder with --out");
  }
  return check_writable(folder);
}

Result<void> install_project(const SourceBundle& bundle, const std::map<std::string, std::string>& extra,
                             const fs::path& folder) {
  STITCH_TRY(make_room(bundle, folder, earlier_digests(folder)));
  STITCH_TRY(write_bundle(bundle, folder.string()));
  for (const auto& [name, text] : extra) {
    STITCH_TRY(write_file(folder / name, text));
  }
  return write_file(folder / kDigests, digests_of(bundle).dump(1) + "\n");
}

}  // namespace stitch::cli
