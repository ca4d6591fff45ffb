// SPDX-License-Identifier: Apache-2.0
// UTF-8, of which nobody promised that it is any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stitch::tokens {

// What begins `text`: a character, or the longest beginning of one (Unicode 3.9, "maximal subpart"), or one bad byte.
struct Utf8Step {
  size_t bytes = 0;        // at least 1
  char32_t character = 0;  // U+FFFD where it is no character
  bool is_valid = false;
  bool is_cut = false;  // `text` ends before the character does
};
Utf8Step first_character(std::string_view text);  // `text` is not empty

// With U+FFFD for each part that is no UTF-8, as Rust's from_utf8_lossy and Python's errors="replace" have it.
std::string repaired(std::string_view text);

// Bytes at the end of `text` that begin a character which more bytes may complete.
size_t incomplete_tail(std::string_view text);

void append_utf8(char32_t character, std::string& text);

}  // namespace stitch::tokens
