// SPDX-License-Identifier: Apache-2.0
#include "base/testing/case_file.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "base/fs/files.h"

namespace stitch::testing {
namespace {

bool is_renewing() { return std::getenv("STITCH_UPDATE_CASES") != nullptr; }

std::string trimmed(std::string text) {
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text;
}

std::string section(const char* name, const std::string& text) {
  std::string result = std::string(name) + ":\n";
  std::istringstream lines(trimmed(text));
  for (std::string line; std::getline(lines, line);) {
    result += line.empty() ? "\n" : "  " + line + "\n";
  }
  return result;
}

std::string written(const CaseFile& one) {
  return one.comment + "run: " + one.run + "\n" + section("input", one.input) +
         (one.given.empty() ? "" : section("given", one.given)) + section("expect", one.expected);
}

std::string* section_named(CaseFile& one, const std::string& line) {
  if (line == "input:") {
    return &one.input;
  }
  if (line == "given:") {
    return &one.given;
  }
  return line == "expect:" ? &one.expected : nullptr;
}

}  // namespace

std::vector<std::filesystem::path> case_files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".case") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

Result<std::vector<CaseFile>> read_cases(const std::filesystem::path& path) {
  STITCH_ASSIGN(const std::string text, read_file(path));
  std::vector<CaseFile> cases;
  std::string* open = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_outside = !line.empty() && line.front() != ' ';
    std::string* named = cases.empty() ? nullptr : section_named(cases.back(), line);
    if (named != nullptr) {
      open = named;
      continue;
    }
    if (is_outside && (cases.empty() || open != nullptr)) {
      cases.push_back({path, "", "", "", "", ""});
      open = nullptr;
    }
    if (open != nullptr) {
      *open += (line.size() >= 2 ? line.substr(2) : "") + "\n";
    } else if (line.rfind("run: ", 0) == 0) {
      cases.back().run = line.substr(5);
    } else if (is_outside) {
      cases.back().comment += line + "\n";
    }
  }
  return cases;
}

Result<CaseFile> read_case(const std::filesystem::path& path) {
  STITCH_ASSIGN(const std::vector<CaseFile> cases, read_cases(path));
  if (cases.size() != 1) {
    return failure(ErrorCode::kFileInvalid, "the file holds " + std::to_string(cases.size()) + " cases, not one",
                   path.string());
  }
  return cases.front();
}

bool agrees(const CaseFile& file, const std::string& actual) {
  if (is_renewing()) {
    CaseFile renewed = file;
    renewed.expected = actual;
    return write_file(file.path, written(renewed)).has_value();
  }
  return trimmed(file.expected) == trimmed(actual);
}

std::string differences(const std::filesystem::path& path, const std::function<std::string(const CaseFile&)>& run) {
  const auto cases = read_cases(path);
  if (!cases.has_value()) {
    return cases.error().message;
  }
  std::string found;
  std::string renewed;
  for (const CaseFile& one : *cases) {
    CaseFile now = one;
    now.expected = run(one);
    if (trimmed(now.expected) != trimmed(one.expected)) {
      found += one.comment + "expected:\n" + one.expected + "got:\n" + now.expected + "\n";
    }
    renewed += (renewed.empty() ? "" : "\n") + written(now);
  }
  if (!is_renewing()) {
    return found;
  }
  const auto saved = write_file(path, renewed);
  return saved.has_value() ? "" : saved.error().message;
}

}  // namespace stitch::testing
