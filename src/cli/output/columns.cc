// SPDX-License-Identifier: Apache-2.0
#include "cli/output/columns.h"

#include <algorithm>

namespace stitch::cli {

size_t visible_width(const std::string& text) {
  size_t width = 0;
  bool in_escape = false;
  for (const char character : text) {
    if (character == '\033') {
      in_escape = true;
    } else if (in_escape) {
      in_escape = character != 'm';
    } else if ((static_cast<unsigned char>(character) & 0xC0) != 0x80) {  // not inside a code point of UTF-8
      ++width;
    }
  }
  return width;
}

std::string padded(const std::string& text, size_t width) {
  const size_t taken = visible_width(text);
  return taken < width ? text + std::string(width - taken, ' ') : text;
}

std::vector<std::string> wrapped(const std::string& text, size_t width) {
  std::vector<std::string> lines(1);
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (!lines.back().empty() && visible_width(lines.back()) + 1 + visible_width(word) > width) {
      lines.emplace_back();
    }
    lines.back() += (lines.back().empty() || word.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return lines;
}

std::string hanging(const std::string& text, size_t indent, size_t width) {
  constexpr size_t kMinRoom = 20;  // a terminal narrower than its indent is left to break lines itself
  const size_t room = width > indent + kMinRoom ? width - indent : kMinRoom;
  std::string joined;
  for (const std::string& line : wrapped(text, room)) {
    joined += (joined.empty() ? "" : "\n" + std::string(indent, ' ')) + line;
  }
  return joined;
}

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], visible_width(row[column]));
    }
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    for (size_t column = 0; column < row.size(); ++column) {
      text += column + 1 == row.size() ? row[column] : padded(row[column], widths[column] + 2);
    }
    text += '\n';
  }
  return text;
}

}  // namespace stitch::cli
