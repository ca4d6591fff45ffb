// SPDX-License-Identifier: Apache-2.0
#include "driver/project/project.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "base/fs/files.h"
#include "base/fs/replace_folder.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCaptured = "captured";
constexpr const char* kDigests = "evidence/digests.json";  // SHA-256 of every text as we wrote it

Json digests_of(const SourceBundle& bundle, const std::map<std::string, std::string>& extra) {
  Json digests = Json::object();
  for (const auto* files : {&bundle.files, &extra}) {
    for (const auto& [path, text] : *files) {
      digests[path] = sha256_hex(text);
    }
  }
  return digests;
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

// What an earlier run wrote and the user did not change goes; the rest is the user's and is carried over, an edited
// source beside the new one.
Result<void> carry_file_of_user(const fs::path& folder, const fs::path& fresh, const std::string& name,
                                const Json& earlier) {
  std::error_code ignored;
  const bool is_new = fs::exists(fs::symlink_status(fresh / name, ignored));
  const bool edited = was_edited(folder / name, earlier, name);
  const bool was_ours =
      earlier.contains(name) || name.starts_with("evidence/") || name == "report.html" || name == "weights.safetensors";
  if (!edited && (was_ours || is_new)) {
    return {};
  }
  const fs::path to = fresh / (edited ? name + ".edited" : name);
  fs::remove(to, ignored);
  STITCH_TRY(make_directories(to.parent_path()));
  return carry_file(folder / name, to);
}

Result<void> carry_over(const fs::path& folder, const fs::path& fresh) {
  const Json earlier = earlier_digests(folder);
  std::error_code error;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored) || entry->is_symlink(ignored)) {
      STITCH_TRY(carry_file_of_user(folder, fresh, entry->path().lexically_relative(folder).string(), earlier));
    }
  }
  if (error) {
    return failure(ErrorCode::kEnvironment, fmt::format("cannot read {}: {}", folder.string(), error.message()),
                   folder.string(), "choose another folder with --out");
  }
  return {};
}

// The folder, or the nearest one above it that is there.
fs::path nearest_existing(fs::path folder) {
  std::error_code ignored;
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
  const fs::path base = nearest_existing(real_folder(folder).parent_path());  // it is made beside the one there
  const Result<TemporaryDirectory> probe = TemporaryDirectory::make(".stitchcuda", base);
  if (!probe.has_value()) {
    return failure(ErrorCode::kEnvironment, fmt::format("nothing can be written into {}", base.string()), base.string(),
                   "name a folder you may write to with --out");
  }
  return {};
}

// Nothing can take the place of where a file system begins.
bool is_mount_point(const fs::path& folder) {
  struct stat own {};
  struct stat above {};
  const fs::path real = real_folder(folder);
  return ::stat(real.c_str(), &own) == 0 && ::stat(real.parent_path().c_str(), &above) == 0 &&
         (own.st_dev != above.st_dev || own.st_ino == above.st_ino);
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
  if (is_mount_point(folder)) {
    return failure(ErrorCode::kUsage, fmt::format("{} is a mount point, which cannot be replaced", folder.string()),
                   folder.string(), "name a folder inside it with --out");
  }
  if (holds_others(folder)) {
    return failure(ErrorCode::kUsage, fmt::format("{} holds files that stitchcuda did not write", folder.string()),
                   folder.string(), "name a new or empty folder with --out");
  }
  return check_writable(folder);
}

Result<void> install_project(const SourceBundle& bundle, const std::map<std::string, std::string>& extra,
                             const fs::path& folder, const WriteMore& write_more) {
  const auto fill = [&](const fs::path& fresh) -> Result<void> {
    STITCH_TRY(write_bundle(bundle, fresh.string()));
    for (const auto& [name, text] : extra) {
      STITCH_TRY(write_file(fresh / name, text));
    }
    STITCH_TRY(write_file(fresh / kDigests, digests_of(bundle, extra).dump(1) + "\n"));
    return write_more ? write_more(fresh) : Result<void>();
  };
  return replace_folder(folder, fill, [&](const fs::path& fresh) { return carry_over(real_folder(folder), fresh); });
}

}  // namespace stitch::driver
