// SPDX-License-Identifier: Apache-2.0
#include "evaluate/inspect/native_files.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "base/fs/files.h"
#include "base/json/json.h"
#include "elf/code/system_entry.h"
#include "elf/policy/policy.h"

namespace stitch::evaluate {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 20'000;
constexpr uintmax_t kMaxBytes = uintmax_t{2} << 30;

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
    if (++count > kMaxFiles) {
      return failure(ErrorCode::kFileInvalid, fmt::format("more than {} files lie beside the candidate", kMaxFiles),
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

Finding build_failed(std::string reason) { return {Stage::kInspect, VerdictKind::kBuildFailed, std::move(reason)}; }

struct ReadFile {
  std::string bytes;
  std::optional<Finding> refusal;
};

using Rule = std::optional<std::string> (*)(const elf::LibraryFacts&, elf::Bytes);

Result<ReadFile> inspect_one(const fs::path& path, Rule rule, NativeFile& file) {
  std::error_code failed;
  const uintmax_t size = fs::file_size(path, failed);
  if (failed || size > kMaxBytes) {
    return ReadFile{{}, build_failed(fmt::format("{} cannot be read, or is larger than 2 GiB", file.name))};
  }
  ReadFile read;
  STITCH_ASSIGN(read.bytes, read_file(path));
  Result<elf::LibraryFacts> facts = elf::inspect(std::as_bytes(std::span(read.bytes)));
  if (!facts.has_value()) {
    read.refusal = build_failed(fmt::format("{}: {}", file.name, facts.error().message));
    return read;
  }
  file.facts = std::move(*facts);
  if (const auto refusal = rule(file.facts, std::as_bytes(std::span(read.bytes)))) {
    read.refusal = Finding{Stage::kInspect, VerdictKind::kCheated, fmt::format("{}: {}", file.name, *refusal)};
  }
  return read;
}

std::optional<std::string> rule_beside(const elf::LibraryFacts& facts, elf::Bytes) {
  return elf::refusal(facts, elf::CudaRuntime::kPerhapsInside, elf::LibraryUse::kBesidePython);
}

std::optional<std::string> rule_compiled(const elf::LibraryFacts& facts, elf::Bytes bytes) {
  const auto refusal = elf::extension_refusal(facts, elf::ExtensionDevice::kCuda);
  return refusal.has_value() ? refusal : elf::system_entry_refusal(bytes);
}

// In the place of the file of that name, which stays what it is for whoever has it open. Made in a folder of ours: in
// the candidate's, a name may lead anywhere.
Result<void> put_anew(const fs::path& path, const std::string& bytes) {
  STITCH_ASSIGN(const TemporaryDirectory own, TemporaryDirectory::make("stitchcuda-inspected"));
  const fs::path made = own.path() / "library";
  STITCH_TRY(write_file(made, bytes));
  std::error_code failed;
  fs::permissions(made, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read, failed);
  if (!failed) {
    fs::rename(made, path, failed);
  }
  if (failed) {
    return failure(ErrorCode::kEnvironment, "cannot keep an inspected library: " + failed.message(), path.string(),
                   "check that there is space in the folder for temporary files");
  }
  return {};
}

enum class Keeping { kAsItLies, kAnew };

Result<NativeFiles> inspect_all(const fs::path& place, const std::vector<fs::path>& found, Rule rule, Keeping keeping) {
  NativeFiles files;
  for (const fs::path& path : found) {
    NativeFile file{path.string(), path.lexically_relative(place).string(), {}};
    if (file.path.find('\n') != std::string::npos) {  // by lines its process is told what it may load
      files.refusal = build_failed("a library of the candidate's has a line break in its name");
      return files;
    }
    STITCH_ASSIGN(ReadFile read, inspect_one(path, rule, file));
    files.libraries.push_back(std::move(file));
    if (read.refusal.has_value()) {
      files.refusal = std::move(read.refusal);
      return files;
    }
    if (keeping == Keeping::kAnew) {
      STITCH_TRY(put_anew(path, read.bytes));
    }
  }
  return files;
}

}  // namespace

Result<NativeFiles> inspect_native_files(const fs::path& folder) {
  std::error_code ignored;
  const fs::path place = fs::canonical(folder, ignored);
  STITCH_ASSIGN(const std::vector<fs::path> found, loadable_files(place));
  return inspect_all(place, found, rule_beside, Keeping::kAsItLies);
}

Result<NativeFiles> inspect_compiled_files(const fs::path& folder) {
  std::error_code ignored;
  const fs::path place = fs::canonical(folder, ignored);
  const Result<std::vector<fs::path>> found = loadable_files(place);
  if (!found.has_value()) {
    NativeFiles files;
    files.refusal = build_failed("what the candidate compiled cannot be inspected: " + found.error().message);
    return files;
  }
  return inspect_all(place, *found, rule_compiled, Keeping::kAnew);
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
