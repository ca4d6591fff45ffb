// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/native_files.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "elf/policy/policy.h"

namespace stitch::evaluate {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 20'000;
constexpr uintmax_t kMostBytes = uintmax_t{2} << 30;

// What the loader would take for a library of this machine.
bool can_be_loaded(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  Elf64_Ehdr header{};
  return file.read(reinterpret_cast<char*>(&header), sizeof(header)) &&
         std::equal(header.e_ident, header.e_ident + SELFMAG, ELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64 &&
         header.e_type == ET_DYN && header.e_machine == EM_X86_64;
}

Result<std::vector<fs::path>> loadable_files(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  size_t count = 0;
  for (fs::recursive_directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    if (++count > kMostFiles) {
      return failure(ErrorCode::kFileInvalid, fmt::format("more than {} files lie beside the candidate", kMostFiles),
                     folder.string(), "give a folder that holds the candidate alone");
    }
    std::error_code ignored;
    const fs::file_status status = entry->symlink_status(ignored);
    if (fs::is_regular_file(status) && can_be_loaded(entry->path())) {
      found.push_back(entry->path());
    }
  }
  if (error) {
    return failure(ErrorCode::kFileInvalid, "cannot read the candidate's folder: " + error.message(), folder.string(),
                   "check the permissions of what lies in it");
  }
  std::sort(found.begin(), found.end());
  return found;
}

Result<std::optional<Verdict>> inspect_one(const fs::path& path, NativeFile& file) {
  std::error_code failed;
  const uintmax_t size = fs::file_size(path, failed);
  if (failed || size > kMostBytes) {
    return std::optional<Verdict>(
        {VerdictKind::kBuildFailed, fmt::format("{} cannot be read, or is larger than 2 GiB", file.name), {}});
  }
  STITCH_ASSIGN(const std::string bytes, read_file(path));
  Result<elf::LibraryFacts> facts = elf::inspect(std::as_bytes(std::span(bytes)));
  if (!facts.has_value()) {
    return std::optional<Verdict>(
        {VerdictKind::kBuildFailed, fmt::format("{}: {}", file.name, facts.error().sentence), {}});
  }
  file.facts = std::move(*facts);
  if (const auto refusal = elf::refusal(file.facts, elf::CudaRuntime::kPerhapsInside, elf::LibraryUse::kBesidePython)) {
    return std::optional<Verdict>({VerdictKind::kCheated, fmt::format("{}: {}", file.name, *refusal), {}});
  }
  return std::optional<Verdict>();
}

}  // namespace

Result<NativeFiles> inspect_native_files(const fs::path& folder) {
  NativeFiles files;
  std::error_code ignored;
  const fs::path place = fs::canonical(folder, ignored);
  STITCH_ASSIGN(const std::vector<fs::path> found, loadable_files(place));
  for (const fs::path& path : found) {
    NativeFile file{path.string(), path.lexically_relative(place).string(), {}};
    STITCH_ASSIGN(std::optional<Verdict> refusal, inspect_one(path, file));
    files.libraries.push_back(std::move(file));
    if (refusal.has_value()) {
      files.refusal = std::move(refusal);
      return files;
    }
  }
  return files;
}

Json to_json(const NativeFiles& files) {
  Json list = Json::array();
  for (const NativeFile& file : files.libraries) {
    Json entry = elf::to_json(file.facts);
    entry["file"] = file.name;
    list.push_back(std::move(entry));
  }
  return list;
}

}  // namespace stitch::evaluate
