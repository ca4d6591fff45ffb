// SPDX-License-Identifier: Apache-2.0
#include "base/text/printable.h"

namespace stitch {
namespace {

bool steers(char character) {
  const auto byte = static_cast<unsigned char>(character);
  return byte < 0x20 || byte == 0x7f;
}

bool continues_a_letter(char character) { return (static_cast<unsigned char>(character) & 0xc0U) == 0x80U; }

}  // namespace

std::string printable_line(std::string_view text, size_t max_bytes) {
  std::string line;
  while (text.ends_with('\n')) {
    text.remove_suffix(1);
  }
  for (const char character : text) {
    line += character == '\n' ? std::string(" | ") : std::string(1, steers(character) ? '?' : character);
  }
  if (line.size() <= max_bytes) {
    return line;
  }
  size_t end = max_bytes;
  while (end > 0 && continues_a_letter(line[end])) {
    --end;
  }
  return line.substr(0, end) + "...";
}

std::string printable_lines(std::string_view text) {
  std::string lines(text);
  for (char& character : lines) {
    character = steers(character) && character != '\n' && character != '\t' ? '?' : character;
  }
  return lines;
}

}  // namespace stitch
