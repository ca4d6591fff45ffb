// SPDX-License-Identifier: Apache-2.0
// Case files: what to run, text in, text out. For tests alone.
//
//   # what the case is about
//   run: dead_code
//   input:
//     graph g mode=eval ...
//   given:
//     x = 1 2 3
//   expect:
//     ...
//
// `given` may be missing. A file may hold several cases, one after another, each begun by its comment.
// With STITCH_UPDATE_CASES set the expected parts are rewritten from what came out.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error/result.h"

namespace stitch::testing {

struct CaseFile {
  std::filesystem::path path;
  std::string comment;  // with its `#`s
  std::string run;
  std::string input;
  std::string given;
  std::string expected;
};

// Every .case file below `folder`, in the order of their names.
std::vector<std::filesystem::path> case_files(const std::string& folder);

// The cases of one file; and of a file that must hold just one.
Result<std::vector<CaseFile>> read_cases(const std::filesystem::path& path);
Result<CaseFile> read_case(const std::filesystem::path& path);

// Whether `actual` is what the only case of its file expects; renews the file instead where that was asked for.
bool agrees(const CaseFile& file, const std::string& actual);

// Runs all cases of a file. The answer tells which of them gave something else, and is empty when none did; renews the
// file instead where that was asked for.
std::string differences(const std::filesystem::path& path, const std::function<std::string(const CaseFile&)>& run);

}  // namespace stitch::testing
