// SPDX-License-Identifier: Apache-2.0
#include "llm/sse/utf8.h"

#include <algorithm>
#include <cstdint>

namespace stitch::llm {
namespace {

uint8_t byte_at(std::string_view text, size_t at) { return static_cast<uint8_t>(text[at]); }

// The bytes of the character that begins at `at`; 0 where none does.
size_t character_length(std::string_view text, size_t at) {
  const uint8_t first = byte_at(text, at);
  if (first < 0x80) {
    return 1;
  }
  const size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                        : (first & 0xF0) == 0xE0         ? 3
                        : first >= 0xF0 && first <= 0xF4 ? 4
                                                         : 0;
  if (length == 0 || at + length > text.size()) {
    return 0;
  }
  for (size_t i = 1; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0) != 0x80) {
      return 0;
    }
  }
  const uint8_t second = byte_at(text, at + 1);
  const bool is_overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
  const bool is_outside = (first == 0xED && second >= 0xA0) || (first == 0xF4 && second >= 0x90);  // surrogates; beyond
  return is_overlong || is_outside ? 0 : length;
}

// U+F780 + (byte - 0x80) is EF 9E 80 to EF 9F BF.
std::string marked(uint8_t byte) {
  const int low = byte - 0x80;
  return {'\xEF', static_cast<char>(0x9E + (low >> 6)), static_cast<char>(0x80 + (low & 0x3F))};
}

bool is_marked(std::string_view text, size_t at) {
  return at + 2 < text.size() && byte_at(text, at) == 0xEF && (byte_at(text, at + 1) & 0xFE) == 0x9E &&
         (byte_at(text, at + 2) & 0xC0) == 0x80;
}

// Each character as it is; each byte that is part of none as `stray` says.
template <typename Stray>
std::string walked(std::string_view text, const Stray& stray) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t length = character_length(text, at);
    result += length > 0 ? std::string(text.substr(at, length)) : stray(byte_at(text, at));
    at += std::max<size_t>(length, 1);
  }
  return result;
}

}  // namespace

std::string with_stray_bytes_marked(std::string_view text) { return walked(text, marked); }

std::string with_marked_bytes_joined(std::string_view text) {
  std::string bytes;
  for (size_t at = 0; at < text.size();) {
    if (is_marked(text, at)) {
      bytes += static_cast<char>(0x80 + ((byte_at(text, at + 1) & 1) << 6) + (byte_at(text, at + 2) & 0x3F));
      at += 3;
    } else {
      bytes += text[at++];
    }
  }
  return walked(bytes, [](uint8_t) { return std::string("\xEF\xBF\xBD"); });
}

}  // namespace stitch::llm
