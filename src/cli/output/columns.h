// SPDX-License-Identifier: Apache-2.0
// Text in columns that a person can read: wrapped at words, aligned by what is seen and not by bytes.
#pragma once

#include <string>
#include <vector>

namespace stitch::cli {

// How many columns a text takes: code points, without ANSI colours.
size_t visible_width(const std::string& text);

// `text` filled up with spaces to `width` columns; a longer one as it is.
std::string padded(const std::string& text, size_t width);

// Lines of at most `width` columns, broken at spaces; a longer word has a line of its own.
std::vector<std::string> wrapped(const std::string& text, size_t width);

// The lines of `wrapped`, all but the first begun by `indent` spaces; `width` counts the indent.
std::string hanging(const std::string& text, size_t indent, size_t width);

// Rows under each other, two spaces between columns; the last column of a row is left as it is.
std::string table(const std::vector<std::vector<std::string>>& rows);

}  // namespace stitch::cli
