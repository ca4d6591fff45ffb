// SPDX-License-Identifier: Apache-2.0
// Makes text from a source that we do not trust safe for a terminal or a log.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stitch {

// `text` on one line and without anything that steers a terminal: line breaks become " | ", other control characters
// "?". What is longer than `max_bytes` bytes ends in "...".
std::string printable_line(std::string_view text, size_t max_bytes);
// Likewise, but line breaks and tabs stay.
std::string printable_lines(std::string_view text);

}  // namespace stitch
