// SPDX-License-Identifier: Apache-2.0
#include "report/folder/read_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "base/fs/files.h"

namespace stitch::report {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxFileBytes = uintmax_t{64} << 20;

void add(const fs::path& folder, const std::string& name, FolderTexts& texts) {
  std::error_code failed;
  const fs::path path = folder / name;
  if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > kMaxFileBytes || failed) {
    return;
  }
  Result<std::string> text = read_file(path);
  if (text.has_value()) {
    texts[name] = std::move(text).value();
  }
}

// Those in folders below, too.
void add_all(const fs::path& folder, const std::string& below, const std::string& suffix, FolderTexts& texts) {
  std::error_code failed;
  for (fs::recursive_directory_iterator entry(folder / below, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().lexically_relative(folder).string();
    if (name.ends_with(suffix)) {
      add(folder, name, texts);
    }
  }
}

// In the order of their names, which begin with a number: later ones use what earlier ones define.
Result<std::string> all_scripts(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".js") {
      files.push_back(entry->path());
    }
  }
  if (files.empty()) {
    return failure(ErrorCode::kEnvironment, "the report's scripts were not found", folder.string(),
                   "install stitchcuda again: report/ belongs beside python/ and runtime/");
  }
  std::sort(files.begin(), files.end());
  std::string all;
  for (const fs::path& file : files) {
    STITCH_ASSIGN(const std::string text, read_file(file));
    all += text + "\n";
  }
  return all;
}

void put_everywhere(std::string& page, std::string_view place, std::string_view text) {
  for (size_t at = page.find(place); at != std::string::npos; at = page.find(place, at + text.size())) {
    page.replace(at, place.size(), text);
  }
}

// One frame for all pages: head, headline, and where data and scripts go.
Result<std::string> framed_page(const fs::path& own, std::string_view subject, const fs::path& sections) {
  STITCH_ASSIGN(std::string page, read_file(own / "page.html"));
  STITCH_ASSIGN(const std::string body, read_file(own / sections));
  put_everywhere(page, "<!-- subject -->", subject);
  put_everywhere(page, "<!-- body -->", body);
  return page;
}

std::string library(const fs::path& own, const fs::path& debian) {
  for (const fs::path& path : {own / "libraries" / debian.filename(), "/usr/share/javascript" / debian}) {
    Result<std::string> text = read_file(path);
    if (text.has_value()) {
      return std::move(text).value();
    }
  }
  return {};
}

// Of pages that are no program's: sections and scripts of their own, with those scripts of a report that all use.
Result<PageAssets> assets_of(const fs::path& own, const std::string& subject) {
  STITCH_ASSIGN(PageAssets assets, read_assets(own));
  STITCH_ASSIGN(assets.page, framed_page(own, subject, fs::path(subject) / "sections.html"));
  assets.scripts.clear();
  for (const char* shared : {"00_data.js", "10_dom.js", "11_format.js", "20_theme.js", "22_sortable.js",
                             "23_current_section.js", "70_plot.js"}) {
    STITCH_ASSIGN(const std::string text, read_file(own / "scripts" / shared));
    assets.scripts += text + "\n";
  }
  STITCH_ASSIGN(const std::string own_scripts, all_scripts(own / subject / "scripts"));
  assets.scripts += own_scripts;
  assets.highlight.clear();  // no code stands here
  return assets;
}

}  // namespace

Result<FolderTexts> read_texts(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("{} is not a folder", folder.string()), folder.string(),
                   "name a folder that `stitchcuda optimize` wrote");
  }
  FolderTexts texts;
  for (const char* name : {"task.json", "plan.json", "graph.ir"}) {
    add(folder, name, texts);
  }
  add_all(folder, "evidence", ".json", texts);
  add_all(folder, "evidence/program", ".py", texts);
  add_all(folder, "steps", ".cu", texts);
  return texts;
}

Result<PageAssets> read_assets(const fs::path& own) {
  PageAssets assets;
  STITCH_ASSIGN(assets.page, framed_page(own, "report", "sections.html"));
  STITCH_ASSIGN(assets.style, read_file(own / "style.css"));
  STITCH_ASSIGN(assets.licences, read_file(own / "LICENCES"));
  STITCH_ASSIGN(assets.scripts, all_scripts(own / "scripts"));
  assets.chart = library(own, "chart.js/chart.min.js");
  assets.highlight = library(own, "highlight.js/highlight.min.js");
  return assets;
}

Result<PageAssets> read_bench_assets(const fs::path& own) { return assets_of(own, "bench"); }

Result<PageAssets> read_training_assets(const fs::path& own) { return assets_of(own, "training"); }

fs::path report_folder_beside_this_program() {
  std::error_code ignored;
  const fs::path above = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
  const char* named = std::getenv("STITCHCUDA_RESOURCES");
  for (const fs::path& root : {fs::path(named == nullptr ? "" : named), above / "share" / "stitchcuda", above}) {
    if (!root.empty() && fs::exists(root / "report" / "page.html", ignored)) {
      return root / "report";
    }
  }
  return {};
}

}  // namespace stitch::report
