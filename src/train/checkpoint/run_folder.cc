// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint/run_folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <system_error>
#include <vector>

#include "base/fs/files.h"
#include "base/hash/sha256.h"
#include "base/json/json.h"

namespace stitch::train {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "MANIFEST.json";
constexpr const char* kSchema = "stitchcuda.checkpoint/1";
constexpr const char* kPrefix = "step-";

Unexpected cannot(const std::string& what, const fs::path& path) {
  return failure(ErrorCode::kEnvironment, "cannot " + what + ": " + std::strerror(errno), path.string(),
                 "see that the disk has space and the folder may be written to");
}

Unexpected damaged(const fs::path& path, const std::string& what) {
  return failure(ErrorCode::kFileInvalid, "the checkpoint is damaged: " + what, path.string(),
                 "write the name of an older checkpoint into LATEST, or begin a new run");
}

// Of a file, or of a folder's list of names.
Result<void> sync(const fs::path& path) {
  const int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (opened < 0) {
    return cannot("open", path);
  }
  const bool synced = ::fsync(opened) == 0;
  ::close(opened);
  return synced ? Result<void>() : Result<void>(cannot("write to the disk", path));
}

Result<std::string> file_sha256(const fs::path& path) {
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return cannot("read", path);
  }
  Sha256 hash;
  std::vector<char> part(size_t{1} << 20U);
  for (size_t count = 0; (count = std::fread(part.data(), 1, part.size(), file)) > 0;) {
    hash.update(std::string_view(part.data(), count));
  }
  const bool failed = std::ferror(file) != 0;
  std::fclose(file);
  return failed ? Result<std::string>(cannot("read", path)) : Result<std::string>(hash.finish());
}

// What lies below `folder`, by relative path, the manifest left out.
Result<std::map<std::string, fs::path>> files_below(const fs::path& folder) {
  std::map<std::string, fs::path> files;
  std::error_code error;
  for (auto entry = fs::recursive_directory_iterator(folder, error); entry != fs::recursive_directory_iterator();
       entry.increment(error)) {
    if (error) {
      break;
    }
    if (!entry->is_directory(error) && entry->path().filename() != kManifest) {
      files[entry->path().lexically_relative(folder).generic_string()] = entry->path();
    }
  }
  if (error) {
    return failure(ErrorCode::kEnvironment, "cannot read the folder: " + error.message(), folder.string());
  }
  return files;
}

Result<void> write_manifest(const fs::path& folder, int64_t step, const Json& facts) {
  STITCH_ASSIGN(const auto files, files_below(folder));
  Json manifest = {{"schema", kSchema}, {"step", step}};
  manifest.update(facts);
  manifest["files"] = Json::object();
  std::set<fs::path> folders = {folder};
  for (const auto& [name, path] : files) {
    STITCH_TRY(sync(path));
    folders.insert(path.parent_path());
    STITCH_ASSIGN(manifest["files"][name], file_sha256(path));
  }
  STITCH_TRY(write_file(folder / kManifest, manifest.dump(2) + "\n"));
  STITCH_TRY(sync(folder / kManifest));
  for (const fs::path& each : folders) {
    STITCH_TRY(sync(each));
  }
  return {};
}

Result<int64_t> check_manifest(const fs::path& folder) {
  const auto text = read_file(folder / kManifest);
  if (!text.has_value()) {
    return damaged(folder, "it has no " + std::string(kManifest));
  }
  const auto manifest = parse_json(*text, (folder / kManifest).string());
  if (!manifest.has_value() || !manifest->is_object()) {
    return damaged(folder, std::string(kManifest) + " is no JSON object");
  }
  const auto schema = json_string(*manifest, "schema");
  const auto step = json_int(*manifest, "step");
  const auto listed = json_object(*manifest, "files");
  if (!schema.has_value() || *schema != kSchema || !step.has_value() || !listed.has_value()) {
    return damaged(folder, std::string(kManifest) + " is none of " + kSchema);
  }
  STITCH_ASSIGN(const auto files, files_below(folder));
  for (const auto& [name, path] : files) {
    if (!(*listed)->contains(name)) {
      return damaged(path, "this file is not in its manifest");
    }
  }
  for (const auto& [name, hash] : (*listed)->items()) {
    const auto found = files.find(name);
    if (found == files.end()) {
      return damaged(folder / name, "this file is missing");
    }
    STITCH_ASSIGN(const std::string now, file_sha256(found->second));
    if (hash != now) {
      return damaged(found->second, "this file is not what was written");
    }
  }
  return *step;
}

std::optional<int64_t> step_of(const std::string& name) {
  int64_t step = 0;
  const char* begin = name.c_str() + std::strlen(kPrefix);
  const char* end = name.c_str() + name.size();
  const bool fits = name.starts_with(kPrefix) && begin < end && std::from_chars(begin, end, step).ptr == end;
  return fits && step >= 0 ? std::optional(step) : std::nullopt;
}

}  // namespace

Result<void> RunFolder::write_checkpoint(int64_t step, int64_t keep, const Json& facts,
                                         const std::function<Result<void>(const fs::path& folder)>& fill) const {
  const fs::path all = path_ / "ckpt";
  const std::string name = kPrefix + std::to_string(step);
  const fs::path fresh = all / (name + ".tmp");
  std::error_code error;
  fs::remove_all(fresh, error);
  STITCH_TRY(make_directories(fresh));
  STITCH_TRY(fill(fresh));
  STITCH_TRY(write_manifest(fresh, step, facts));
  fs::remove_all(all / name, error);  // of a run that was killed before LATEST named it
  fs::rename(fresh, all / name, error);
  if (error) {
    return failure(ErrorCode::kEnvironment, "cannot rename the checkpoint: " + error.message(), fresh.string());
  }
  STITCH_TRY(sync(all));
  STITCH_TRY(write_file(all / "LATEST", name + "\n"));
  STITCH_TRY(sync(all / "LATEST"));
  STITCH_TRY(sync(all));
  remove_older(step, keep);
  return {};
}

void RunFolder::remove_older(int64_t step, int64_t keep) const {
  std::vector<std::pair<int64_t, fs::path>> older;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(path_ / "ckpt", error)) {
    const auto found = step_of(entry.path().filename().string());
    if (found.has_value() && *found < step) {
      older.emplace_back(*found, entry.path());
    }
  }
  std::sort(older.rbegin(), older.rend());
  for (size_t i = static_cast<size_t>(std::max<int64_t>(keep, 1) - 1); i < older.size(); ++i) {
    fs::remove_all(older[i].second, error);
  }
}

Result<std::optional<CheckpointPlace>> RunFolder::latest() const {
  const fs::path pointer = path_ / "ckpt" / "LATEST";
  std::error_code error;
  if (!fs::exists(pointer, error)) {
    return std::optional<CheckpointPlace>();
  }
  STITCH_ASSIGN(std::string name, read_file(pointer));
  while (!name.empty() && name.back() == '\n') {
    name.pop_back();
  }
  const auto step = step_of(name);
  if (!step.has_value()) {
    return damaged(pointer, "LATEST names no checkpoint");
  }
  const CheckpointPlace place{path_ / "ckpt" / name, *step};
  STITCH_ASSIGN(const int64_t written, check_manifest(place.folder));
  if (written != *step) {
    return damaged(place.folder, "its manifest is of step " + std::to_string(written));
  }
  return std::optional(place);
}

Result<void> cut_file(const fs::path& path, int64_t bytes) {
  const int opened = ::open(path.c_str(), O_RDWR | O_CLOEXEC | (bytes == 0 ? O_CREAT : 0), 0644);
  if (opened < 0) {
    return cannot("open", path);
  }
  const int64_t size = ::lseek(opened, 0, SEEK_END);
  const bool cut = size >= bytes && ::ftruncate(opened, bytes) == 0;
  ::close(opened);
  return cut ? Result<void>() : Result<void>(damaged(path, "this file is shorter than when it was written"));
}

Result<int64_t> append_line(const fs::path& path, const std::string& line) {
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (file == nullptr) {
    return cannot("write to", path);
  }
  const std::string text = line + "\n";
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const int64_t size = std::ftell(file);
  return std::fclose(file) == 0 && written ? Result<int64_t>(size) : Result<int64_t>(cannot("write to", path));
}

}  // namespace stitch::train
