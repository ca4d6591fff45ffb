// SPDX-License-Identifier: Apache-2.0
#include "codegen/forms/amalgamate.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <vector>

#include "base/fs/files.h"

namespace stitch::codegen {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInclude = "#include ";
constexpr const char* kRuntime = "runtime/";

bool starts_with(const std::string& text, const std::string& beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

// What one file says of itself alone.
bool is_left_out(const std::string& line) {
  return starts_with(line, "#pragma once") || line.find("SPDX-License-Identifier") != std::string::npos;
}

// Which conditions of a file its lines lie under; the guard against being included twice is none.
class Conditions {
 public:
  void read(const std::string& line) {
    constexpr const char* kGuard = "#ifndef ";
    constexpr const char* kGuardEnd = "_H_";
    if (starts_with(line, "#if")) {
      is_real_.push_back(!starts_with(line, kGuard) || !line.ends_with(kGuardEnd));
    } else if (starts_with(line, "#endif") && !is_real_.empty()) {
      is_real_.pop_back();
    }
  }
  bool any() const { return std::find(is_real_.begin(), is_real_.end(), true) != is_real_.end(); }

 private:
  std::vector<bool> is_real_;
};

}  // namespace

Result<void> Amalgamator::add(const std::string& path, const std::string& name_space) {
  std::string own;
  STITCH_TRY(add_lines(path, &own));
  if (!name_space.empty()) {
    own = fmt::format("namespace {} {{\n{}\n}}  // namespace {}\n", name_space, own, name_space);
  }
  text_ += own;
  return {};
}

Result<std::string> Amalgamator::read(const std::string& path) const {
  const auto found = bundle_.files.find(path);
  if (found != bundle_.files.end()) {
    return found->second;
  }
  if (!starts_with(path, kRuntime)) {
    return failure(ErrorCode::kFileInvalid, fmt::format("the program has no file {}", path), path);
  }
  return read_file(fs::path(runtime_folder_) / path.substr(std::string(kRuntime).size()));
}

Result<std::string> Amalgamator::resolve(const std::string& name, const std::string& from) const {
  for (const fs::path& folder : {fs::path(from).parent_path(), fs::path("runtime/include"), fs::path("runtime")}) {
    const std::string path = (folder / name).lexically_normal().string();
    if (bundle_.files.contains(path) ||
        (starts_with(path, kRuntime) &&
         fs::is_regular_file(fs::path(runtime_folder_) / path.substr(std::string(kRuntime).size())))) {
      return path;
    }
  }
  return failure(ErrorCode::kFileInvalid, fmt::format("{} includes {}, which is nowhere", from, name), from);
}

// Included files are appended to the whole text; the lines of `path` itself to `own`.
Result<void> Amalgamator::add_lines(const std::string& path, std::string* own) {
  seen_.insert(path);
  STITCH_ASSIGN(const std::string text, read(path));
  std::istringstream lines(text);
  Conditions conditions;
  for (std::string line; std::getline(lines, line);) {
    if (is_left_out(line)) {
      continue;
    }
    conditions.read(line);
    const bool is_own_file = starts_with(line, std::string(kInclude) + '"');
    // A header that a condition asks for may not be there without it: such a line stays where it is.
    if (!starts_with(line, kInclude) || (conditions.any() && !is_own_file)) {
      *own += line + "\n";
      continue;
    }
    const size_t begin = std::string(kInclude).size();
    const size_t end = line.find(line[begin] == '"' ? '"' : '>', begin + 1);
    const std::string name = line.substr(begin + 1, end - begin - 1);
    if (!is_own_file) {
      if (seen_.insert("<" + name + ">").second) {
        text_ += fmt::format("#include <{}>\n", name);
      }
      continue;
    }
    STITCH_ASSIGN(const std::string included, resolve(name, path));
    if (!seen_.contains(included)) {
      STITCH_TRY(add(included));
    }
  }
  return {};
}

}  // namespace stitch::codegen
