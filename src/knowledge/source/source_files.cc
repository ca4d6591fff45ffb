// SPDX-License-Identifier: Apache-2.0
#include "knowledge/source/source_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/hash/sha256.h"
#include "base/process/child.h"

namespace stitch::knowledge {
namespace {

namespace fs = std::filesystem;

constexpr int kReaderVersion = 1;        // changes with what is read out of a file, or how words are made
constexpr size_t kMaxFiles = 5000;       // of one folder
constexpr size_t kMaxEntries = 200'000;  // that are looked at on the way
constexpr int kMaxDepth = 12;
constexpr uintmax_t kMaxAllBytes = 256u << 20;
constexpr uintmax_t kMaxTextBytes = 32u << 20;
constexpr uintmax_t kMaxPdfBytes = 64u << 20;

constexpr auto kKinds = std::to_array<std::pair<std::string_view, FileKind>>({{".md", FileKind::kMarkdown},
                                                                              {".markdown", FileKind::kMarkdown},
                                                                              {".html", FileKind::kHtml},
                                                                              {".htm", FileKind::kHtml},
                                                                              {".pdf", FileKind::kPdf},
                                                                              {".txt", FileKind::kPlain},
                                                                              {".rst", FileKind::kPlain}});

// Tables for tools, and interfaces to windows and graphics: nothing that a kernel needs.
constexpr auto kOtherHeaders = std::to_array<std::string_view>(
    {"generated_", "nvperf_", "cupti_", "cudaEGL", "cudaGL", "cudaVDPAU", "cuda_egl", "cuda_gl", "cuda_vdpau"});

std::optional<FileKind> kind_of(const fs::path& path, Origin origin) {
  const std::string name = path.filename().string();
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  if (origin == Origin::kHeader) {
    const bool is_other = std::any_of(kOtherHeaders.begin(), kOtherHeaders.end(),
                                      [&](std::string_view begin) { return name.starts_with(begin); });
    return ending == ".h" && !is_other ? std::optional(FileKind::kHeader) : std::nullopt;
  }
  const auto* found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.first == ending; });
  return found == kKinds.end() ? std::nullopt : std::optional(found->second);
}

class Lister {
 public:
  // `prefix` stands before the names of what lies in `folder`.
  void add_folder(const fs::path& folder, const std::string& prefix, Origin origin, int max_depth) {
    origin_ = origin;
    taken_ = 0;
    looked_at_ = 0;
    bytes_ = 0;
    std::error_code ignored;
    if (!folder.empty() && fs::is_directory(folder, ignored)) {
      walk(folder, prefix, max_depth);
    }
    if (is_full()) {
      found_.skipped.push_back(
          fmt::format("{} has more than {} documents, {} MiB of them, or {} files: the rest was left out",
                      folder.string(), kMaxFiles, kMaxAllBytes >> 20, kMaxEntries));
    }
  }

  SourceFiles take() { return std::move(found_); }

 private:
  void walk(const fs::path& folder, const std::string& prefix, int depth) {
    std::vector<fs::path> entries;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end && !is_full(); at.increment(error)) {
      entries.push_back(at->path());
      ++looked_at_;
    }
    std::sort(entries.begin(), entries.end());
    for (const fs::path& entry : entries) {
      const std::string name = entry.filename().string();
      std::error_code ignored;
      if (name.starts_with('.')) {
        continue;
      }
      if (fs::is_regular_file(entry, ignored)) {
        add_file(entry, prefix + name);
      } else if (depth > 1 && !fs::is_symlink(entry, ignored) && fs::is_directory(entry, ignored)) {
        walk(entry, prefix + name + "/", depth - 1);
      }
    }
  }

  void add_file(const fs::path& path, std::string name) {
    const std::optional<FileKind> kind = kind_of(path, origin_);
    if (!kind.has_value() || (origin_ == Origin::kCard && *kind != FileKind::kMarkdown) || is_full()) {
      return;
    }
    ++taken_;
    std::error_code ignored;
    SourceFile file{.path = path, .origin = origin_, .kind = *kind, .bytes = fs::file_size(path, ignored)};
    file.changed = fs::last_write_time(path, ignored).time_since_epoch().count();
    file.name = origin_ == Origin::kCard ? name.substr(0, name.rfind('.')) : std::move(name);
    const uintmax_t max_bytes = *kind == FileKind::kPdf ? kMaxPdfBytes : kMaxTextBytes;
    if (file.bytes > max_bytes) {
      found_.skipped.push_back(fmt::format("{} is larger than {} MiB", path.string(), max_bytes >> 20));
      return;
    }
    bytes_ += file.bytes;
    found_.files.push_back(std::move(file));
  }

  bool is_full() const { return taken_ >= kMaxFiles || looked_at_ >= kMaxEntries || bytes_ >= kMaxAllBytes; }

  Origin origin_ = Origin::kCard;
  size_t taken_ = 0;
  size_t looked_at_ = 0;
  uintmax_t bytes_ = 0;
  SourceFiles found_;
};

}  // namespace

SourceFiles list_source_files(const Sources& sources) {
  Lister lister;
  lister.add_folder(sources.cards, "", Origin::kCard, kMaxDepth);
  lister.add_folder(sources.headers, "", Origin::kHeader, 1);
  if (!sources.headers.empty()) {
    lister.add_folder(sources.headers / "cooperative_groups", "cooperative_groups/", Origin::kHeader, 1);
  }
  lister.add_folder(sources.guides, "", Origin::kGuide, 1);
  for (const fs::path& folder : sources.folders) {
    lister.add_folder(folder, folder.filename().string() + "/", Origin::kFolder, kMaxDepth);
  }
  return lister.take();
}

std::string sources_digest(const Sources& sources) {
  Sha256 digest;
  digest.update_field(fmt::format("{} {}", kReaderVersion, find_program("pdftotext").string()));
  for (const SourceFile& file : list_source_files(sources).files) {
    digest.update_field(
        fmt::format("{} {} {} {}", to_string(file.origin), file.path.string(), file.bytes, file.changed));
  }
  return digest.finish();
}

}  // namespace stitch::knowledge
