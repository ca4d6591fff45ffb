// SPDX-License-Identifier: Apache-2.0
#include "toolchain/source/include_closure.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

std::string_view skip_blanks(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// What follows `#include` in a line; nothing in any other line.
std::optional<std::string_view> included(std::string_view line) {
  line = skip_blanks(line);
  if (line.empty() || line.front() != '#') {
    return std::nullopt;
  }
  line = skip_blanks(line.substr(1));
  if (line.substr(0, 7) != "include") {
    return std::nullopt;
  }
  return skip_blanks(line.substr(7));
}

// The name in `#include "name"` or `#include <name>`, empty for any other line.
std::string_view included_name(std::string_view whole_line) {
  const std::string_view line = included(whole_line).value_or("");
  const size_t end = line.find_first_of("\">", 1);
  const bool named = !line.empty() && (line.front() == '"' || line.front() == '<') && end != std::string_view::npos;
  return named ? line.substr(1, end - 1) : std::string_view();
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// Whether a macro names the file, which only the preprocessor knows: it may be any of the bundle's.
bool names_by_macro(std::string_view text) {
  const std::vector<std::string_view> lines = lines_of(text);
  return std::any_of(lines.begin(), lines.end(),
                     [](std::string_view line) { return included(line).has_value() && included_name(line).empty(); });
}

std::string resolve(const SourceBundle& bundle, const std::string& from, std::string_view name) {
  std::vector<fs::path> folders = {fs::path(from).parent_path()};
  folders.insert(folders.end(), include_folders().begin(), include_folders().end());
  for (const fs::path& folder : folders) {
    const std::string path = (folder / name).lexically_normal().string();
    if (bundle.files.contains(path)) {
      return path;
    }
  }
  return {};
}

}  // namespace

const std::vector<std::string>& include_folders() {
  static const std::vector<std::string> kFolders = {"runtime/include", "runtime"};
  return kFolders;
}

std::vector<std::string> included_names(std::string_view text) {
  std::vector<std::string> names;
  for (const std::string_view line : lines_of(text)) {
    if (const std::string_view name = included_name(line); !name.empty()) {
      names.emplace_back(name);
    }
  }
  return names;
}

std::set<std::string> include_closure(const SourceBundle& bundle, const std::string& unit) {
  std::set<std::string> closure;
  std::vector<std::string> unread = {unit};
  while (!unread.empty()) {
    const std::string file = unread.back();
    unread.pop_back();
    if (names_by_macro(bundle.files.at(file))) {
      for (const auto& [name, text] : bundle.files) {
        closure.insert(name);
      }
      closure.erase(unit);
      return closure;
    }
    for (const std::string& name : included_names(bundle.files.at(file))) {
      const std::string found = resolve(bundle, file, name);
      if (!found.empty() && found != unit && closure.insert(found).second) {
        unread.push_back(found);
      }
    }
  }
  return closure;
}

Result<void> check_bundle_paths(const SourceBundle& bundle) {
  for (const auto& [name, text] : bundle.files) {
    const fs::path path = fs::path(name).lexically_normal();
    if (name.empty() || path.is_absolute() || *path.begin() == ".." || path.string() != name) {
      return failure(ErrorCode::kFileInvalid, fmt::format("the bundle names a file \"{}\" outside itself", name), name,
                     "name every file by its plain path inside the bundle");
    }
  }
  for (const std::string& unit : bundle.units) {
    if (!bundle.files.contains(unit)) {
      return failure(ErrorCode::kFileInvalid, fmt::format("the bundle's unit {} is not among its files", unit), unit,
                     "add the file, or take it out of \"units\" in bundle.json");
    }
  }
  return {};
}

}  // namespace stitch::toolchain
