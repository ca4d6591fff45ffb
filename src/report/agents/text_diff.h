// SPDX-License-Identifier: Apache-2.0
// What differs between two texts, line by line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stitch::report {

// Lines that belong together, each with ' ', '-' or '+' before it.
struct DiffHunk {
  size_t old_line = 1;  // of its first line, in either text
  size_t new_line = 1;
  std::vector<std::string> lines;
};

struct TextDiff {
  size_t added = 0;
  size_t removed = 0;
  std::vector<DiffHunk> hunks;
};

// With three lines around each change. Texts too different for their length are told as one replaced by the other.
TextDiff text_diff(std::string_view before, std::string_view after);

}  // namespace stitch::report
