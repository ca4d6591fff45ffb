// SPDX-License-Identifier: Apache-2.0
#include "tools/replies/page.h"

#include <fmt/format.h>

namespace stitch::tools {
namespace {

bool is_inside_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0u) == 0x80u; }

// Where a part that begins at `begin` ends.
size_t end_of_part(const std::string& text, size_t begin, size_t max_bytes) {
  if (text.size() - begin <= max_bytes) {
    return text.size();
  }
  const size_t end = begin + max_bytes;
  const size_t line = text.rfind('\n', end - 1);
  if (line != std::string::npos && line >= end - max_bytes / 4 && line >= begin) {
    return line + 1;
  }
  size_t whole = end;
  while (whole > begin && is_inside_character(text[whole])) {
    --whole;
  }
  return whole > begin ? whole : end;
}

}  // namespace

Page page_of(const std::string& text, size_t offset, size_t max_bytes) {
  if (offset >= text.size()) {
    return {};
  }
  size_t begin = offset;
  while (begin < text.size() && is_inside_character(text[begin])) {
    ++begin;
  }
  const size_t end = end_of_part(text, begin, max_bytes);
  return {text.substr(begin, end - begin), end < text.size() ? end : 0};
}

std::string cut_to(std::string text, size_t max_bytes) {
  if (text.size() <= max_bytes) {
    return text;
  }
  const size_t all = text.size();
  text.resize(end_of_part(text, 0, max_bytes));
  return text + fmt::format("\n[cut: {} of {} bytes are left out]\n", all - text.size(), all);
}

}  // namespace stitch::tools
