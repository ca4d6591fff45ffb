// SPDX-License-Identifier: Apache-2.0
// Long texts in parts that a model's context holds.
#pragma once

#include <cstddef>
#include <string>

namespace stitch::tools {

// About 8,000 tokens of code, of which a token is two to three bytes.
inline constexpr size_t kPageBytes = 16'000;

struct Page {
  std::string text;
  size_t next_offset = 0;  // where the next one begins; 0 where this is the last
};

// What of `text` begins at `offset` and fits, cut at the end of a line where there is one in its last quarter, else
// between two characters of UTF-8. Empty where `offset` lies behind the end.
Page page_of(const std::string& text, size_t offset, size_t max_bytes = kPageBytes);

// `text`, or what of it fits with a line that says how much was cut.
std::string cut_to(std::string text, size_t max_bytes);

}  // namespace stitch::tools
