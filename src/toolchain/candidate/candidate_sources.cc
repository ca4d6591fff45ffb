// SPDX-License-Identifier: Apache-2.0
#include "toolchain/candidate/candidate_sources.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "base/fs/files.h"
#include "toolchain/source/include_closure.h"

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxFiles = 2000;
constexpr uintmax_t kMaxBytes = uintmax_t{64} << 20;
constexpr std::array kOurHeaders = {"stitch_program.h", "stitch_candidate.h"};  // there to include
constexpr std::array kHeaders = {".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".ipp", ".tpp", ".def"};
constexpr std::array kBuildScripts = {"Makefile", "makefile", "GNUmakefile", "CMakeLists.txt",
                                      "setup.py", "build.sh", "build.ninja"};

bool is_unit(const fs::path& path) { return path.extension() == ".cu"; }
bool is_header(const fs::path& path) {
  return std::find(kHeaders.begin(), kHeaders.end(), path.extension().string()) != kHeaders.end();
}

struct Listing {
  std::vector<std::string> units;
  std::vector<std::string> headers;
  std::vector<std::string> links;
  std::vector<std::string> others;
};

Result<Listing> list_folder(const fs::path& folder) {
  Listing listing;
  std::error_code failed;
  uintmax_t bytes = 0;
  size_t files = 0;
  for (auto entry = fs::recursive_directory_iterator(folder, failed); !failed && entry != fs::end(entry);
       entry.increment(failed)) {
    const fs::file_status status = entry->symlink_status(failed);
    const std::string name = entry->path().lexically_relative(folder).string();
    if (fs::is_directory(status)) {
      continue;
    }
    if (++files > kMaxFiles) {
      return failure(ErrorCode::kFileInvalid, fmt::format("more than {} files are no program's sources", kMaxFiles),
                     folder.string(), "give the folder of the candidate alone");
    }
    if (!fs::is_regular_file(status)) {
      listing.links.push_back(name);
      continue;
    }
    const bool is_source = is_unit(entry->path()) || is_header(entry->path());
    bytes += is_source ? entry->file_size(failed) : 0;
    (is_unit(entry->path()) ? listing.units : is_source ? listing.headers : listing.others).push_back(name);
  }
  if (failed) {
    return failure(ErrorCode::kFileInvalid, fmt::format("cannot read the folder: {}", failed.message()),
                   folder.string(), "check the path and its permissions");
  }
  if (bytes > kMaxBytes) {
    return failure(ErrorCode::kFileInvalid, fmt::format("more than {} MiB are no program's sources", kMaxBytes >> 20),
                   folder.string(), "give the folder of the candidate alone");
  }
  for (std::vector<std::string>* names : {&listing.units, &listing.headers, &listing.links, &listing.others}) {
    std::sort(names->begin(), names->end());
  }
  return listing;
}

bool is_build_script(const std::string& name) {
  const std::string file = fs::path(name).filename().string();
  return std::find(kBuildScripts.begin(), kBuildScripts.end(), file) != kBuildScripts.end() ||
         fs::path(name).extension() == ".cmake" || fs::path(name).extension() == ".mk";
}

std::vector<std::string> notes_of(const Listing& listing) {
  std::vector<std::string> notes;
  for (const std::string& name : listing.others) {
    if (is_build_script(name)) {
      notes.push_back(name + " is ignored: candidates are built with flags of ours");
    }
  }
  for (const std::string& name : listing.links) {
    notes.push_back(name + " is ignored: it is no ordinary file");
  }
  return notes;
}

}  // namespace

Result<bool> holds_sources(const fs::path& folder) {
  const Result<Listing> listing = list_folder(folder);  // too large a one is a candidate: its reader says what is wrong
  return !listing.has_value() || !listing->units.empty() || !listing->headers.empty();
}

std::optional<std::string> outside_file(const SourceBundle& bundle) {
  for (const auto& [file, text] : bundle.files) {
    for (const std::string& name : included_names(text)) {
      const fs::path path = (fs::path(file).parent_path() / name).lexically_normal();
      if (fs::path(name).is_absolute() || (!path.empty() && *path.begin() == "..")) {
        return fmt::format("{} includes {}, which lies outside the candidate", file, name);
      }
    }
    for (const char* directive : {".incbin", "#embed"}) {  // the assembler's and the preprocessor's
      if (text.find(directive) != std::string::npos) {
        return fmt::format("{} takes in a file by {}, which may lie outside the candidate", file, directive);
      }
    }
  }
  return std::nullopt;
}

Result<CandidateSources> read_candidate_sources(const fs::path& folder, const fs::path& runtime_folder) {
  STITCH_ASSIGN(const Listing listing, list_folder(folder));
  CandidateSources sources;
  sources.notes = notes_of(listing);
  sources.bundle.name = "candidate";
  // One header alone may define everything, as CUDA headers do.
  const std::vector<std::string>& units = listing.units.empty() ? listing.headers : listing.units;
  sources.bundle.units = units;
  for (const std::vector<std::string>* names : {&listing.units, &listing.headers}) {
    for (const std::string& name : *names) {
      STITCH_ASSIGN(sources.bundle.files[name], read_file(folder / name));
    }
  }
  for (const char* const name : kOurHeaders) {
    STITCH_ASSIGN(sources.bundle.files[fmt::format("runtime/include/{}", name)],
                  read_file(runtime_folder / "include" / name));
  }
  return sources;
}

}  // namespace stitch::toolchain
