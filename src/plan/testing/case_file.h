// SPDX-License-Identifier: Apache-2.0
// Case files: what to run, text in, text out. For tests alone.
//
//   # what the case is about
//   run: dead_code
//   input:
//     graph g mode=eval ...
//   expect:
//     ...
// With STITCH_UPDATE_CASES set the expected part is rewritten from what came out.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "base/fs/files.h"

namespace stitch::testing {

struct CaseFile {
  std::filesystem::path path;
  std::string comment;  // with its `#`s
  std::string run;
  std::string input;
  std::string expected;
};

inline std::string indented(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += line.empty() ? "\n" : "  " + line + "\n";
  }
  return result;
}

inline Result<CaseFile> read_case(const std::filesystem::path& path) {
  STITCH_ASSIGN(const std::string text, read_file(path));
  CaseFile file;
  file.path = path;
  std::string* section = nullptr;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("run: ", 0) == 0) {
      file.run = line.substr(5);
    } else if (line == "input:") {
      section = &file.input;
    } else if (line == "expect:") {
      section = &file.expected;
    } else if (section != nullptr) {
      *section += (line.size() >= 2 ? line.substr(2) : "") + "\n";
    } else {
      file.comment += line + "\n";
    }
  }
  return file;
}

inline std::vector<std::filesystem::path> case_files(const std::string& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".case") {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

// Whether `actual` is what the file expects; renews the file instead where that was asked for.
inline bool agrees(const CaseFile& file, const std::string& actual) {
  if (std::getenv("STITCH_UPDATE_CASES") != nullptr) {
    const std::string text =
        file.comment + "run: " + file.run + "\ninput:\n" + indented(file.input) + "expect:\n" + indented(actual);
    return write_file(file.path, text).has_value();
  }
  const auto trimmed = [](std::string text) {
    while (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    return text;
  };
  return trimmed(file.expected) == trimmed(actual);
}

}  // namespace stitch::testing
