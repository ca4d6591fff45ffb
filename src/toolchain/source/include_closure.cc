// SPDX-License-Identifier: Apache-2.0
#include "toolchain/source/include_closure.h"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

namespace stitch::toolchain {
namespace {

namespace fs = std::filesystem;

std::string_view skip_blanks(std::string_view text) {
  const size_t start = text.find_first_not_of(" \t");
  return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

// The name in `#include "name"` or `#include <name>`, empty for any other line.
std::string_view included_name(std::string_view line) {
  line = skip_blanks(line);
  if (line.empty() || line.front() != '#') {
    return {};
  }
  line = skip_blanks(line.substr(1));
  if (line.substr(0, 7) != "include") {
    return {};
  }
  line = skip_blanks(line.substr(7));
  const size_t end = line.find_first_of("\">", 1);
  const bool named = !line.empty() && (line.front() == '"' || line.front() == '<') && end != std::string_view::npos;
  return named ? line.substr(1, end - 1) : std::string_view();
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
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view name = included_name(text.substr(0, end));
    if (!name.empty()) {
      names.emplace_back(name);
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return names;
}

std::set<std::string> include_closure(const SourceBundle& bundle, const std::string& unit) {
  std::set<std::string> closure;
  std::vector<std::string> unread = {unit};
  while (!unread.empty()) {
    const std::string file = unread.back();
    unread.pop_back();
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
