// SPDX-License-Identifier: Apache-2.0
#include "driver/outside/shown_files.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <set>

namespace stitch::driver {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEntries = 20'000;
constexpr size_t kMaxAround = 500;  // of a file in a folder that may be anybody's
constexpr size_t kNamedFiles = 4;
constexpr uintmax_t kMaxSourceBytes = uintmax_t{4} << 20;
constexpr const char* kProject = "bundle.json";
constexpr auto kReadable = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                           fs::perms::others_read | fs::perms::others_exec;

bool is_source(const fs::path& path) {
  static const std::set<std::string> kEndings = {".py", ".cu", ".cuh", ".h",   ".hh",  ".hpp", ".hxx",
                                                 ".c",  ".cc", ".cpp", ".cxx", ".inl", ".inc", ".ipp"};
  return kEndings.contains(path.extension().string());
}

bool is_library(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, SELFMAG> begin{};
  return file.read(begin.data(), begin.size()) && std::equal(begin.begin(), begin.end(), ELFMAG);
}

// Links lead anywhere: none is followed.
std::vector<fs::path> files_of(const fs::path& folder, bool below, size_t limit) {
  std::vector<fs::path> found;
  std::error_code failed;
  fs::recursive_directory_iterator entry(folder, failed);
  for (const fs::recursive_directory_iterator end; !failed && entry != end && found.size() <= limit;
       entry.increment(failed)) {
    std::error_code ignored;
    const fs::file_type type = entry->symlink_status(ignored).type();
    if (type == fs::file_type::directory && (!below || entry->path().filename().string().starts_with("."))) {
      entry.disable_recursion_pending();
    }
    if (type == fs::file_type::regular) {
      found.push_back(entry->path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<void> copy_into(const fs::path& from, const fs::path& to) {
  std::error_code failed;
  fs::create_directories(to.parent_path(), failed);
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, failed);
  if (failed) {
    return failure(ErrorCode::kEnvironment, "cannot copy a candidate's file: " + failed.message(), from.string(),
                   "check its permissions, and the space for temporary files");
  }
  fs::permissions(to, kReadable & ~(fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec), failed);
  return {};
}

void open_folders(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, kReadable, ignored);
  for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
    if (entry->is_directory(ignored)) {
      fs::permissions(entry->path(), kReadable, ignored);
    }
  }
}

}  // namespace

Result<ShownFiles> show_files(const fs::path& file, Around around) {
  STITCH_ASSIGN(TemporaryDirectory made, TemporaryDirectory::make("stitchcuda-shown"));
  ShownFiles shown;
  shown.folder = std::make_shared<TemporaryDirectory>(std::move(made));
  std::error_code ignored;
  const fs::path folder = file.parent_path();
  const fs::path place = fs::canonical(shown.folder->path(), ignored);
  shown.file = (place / file.filename()).string();
  STITCH_TRY(copy_into(file, shown.file));
  const bool is_own = around == Around::kLibrariesToo || fs::exists(folder / kProject, ignored);
  const size_t limit = is_own ? kMaxEntries : kMaxAround;
  const std::vector<fs::path> found = files_of(folder, is_own, limit);
  if (found.size() > limit && is_own) {
    return failure(ErrorCode::kFileInvalid, fmt::format("more than {} files lie beside the candidate", limit),
                   folder.string(), "give a folder that holds the candidate alone");
  }
  for (const fs::path& each : found.size() > limit ? std::vector<fs::path>() : found) {
    const fs::path name = each.lexically_relative(folder);
    const bool is_small = fs::file_size(each, ignored) <= kMaxSourceBytes;
    if ((is_source(each) && is_small) || name == kProject || (around == Around::kLibrariesToo && is_library(each))) {
      STITCH_TRY(copy_into(each, place / name));
    } else if (each != file && shown.left_out.size() < kNamedFiles) {
      shown.left_out.push_back(name.string());
    }
  }
  open_folders(place);
  return shown;
}

}  // namespace stitch::driver
