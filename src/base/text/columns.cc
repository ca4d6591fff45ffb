// SPDX-License-Identifier: Apache-2.0
#include "base/text/columns.h"

#include <clocale>
#include <cstdint>
#include <cwchar>

namespace stitch {
namespace {

struct Letter {
  uint32_t code = 0;
  size_t bytes = 1;
  bool is_valid = false;
};

Letter next_letter(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80) {
    return {first, 1, true};
  }
  const size_t bytes = first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first >= 0xf8 || text.size() < bytes) {
    return {};
  }
  uint32_t code = first & (0x7fU >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0U) != 0x80U) {
      return {};
    }
    code = (code << 6) | (next & 0x3fU);
  }
  return {code, bytes, true};
}

// wcwidth() knows Unicode only under a locale that does; the C library always has this one.
int columns_of(const Letter& letter) {
  static locale_t unicode = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (!letter.is_valid || unicode == nullptr) {
    return 1;
  }
  const locale_t before = ::uselocale(unicode);
  const int columns = ::wcwidth(static_cast<wchar_t>(letter.code));
  ::uselocale(before);
  return columns < 0 ? 1 : columns;
}

bool is_control(const Letter& letter) {
  return letter.is_valid && (letter.code < 0x20 || (letter.code >= 0x7f && letter.code < 0xa0) ||
                             (letter.code >= 0x202a && letter.code <= 0x202e) ||  // direction of writing
                             (letter.code >= 0x2066 && letter.code <= 0x2069));
}

}  // namespace

int display_columns(std::string_view text) {
  int columns = 0;
  while (!text.empty()) {
    const Letter letter = next_letter(text);
    columns += is_control(letter) ? 1 : columns_of(letter);
    text.remove_prefix(letter.bytes);
  }
  return columns;
}

std::string cut_to_columns(std::string_view text, int columns, bool unicode) {
  const std::string_view mark = unicode ? "…" : "...";
  const int mark_columns = unicode ? 1 : 3;
  std::string whole;
  std::string with_room_for_mark;
  int used = 0;
  while (!text.empty()) {
    const Letter letter = next_letter(text);
    const int width = is_control(letter) ? 1 : columns_of(letter);
    if (used + width > columns) {
      return columns < mark_columns ? whole : with_room_for_mark + std::string(mark);
    }
    whole += is_control(letter) ? " " : letter.is_valid ? std::string(text.substr(0, letter.bytes)) : "?";
    used += width;
    if (used + mark_columns <= columns) {
      with_room_for_mark = whole;
    }
    text.remove_prefix(letter.bytes);
  }
  return whole;
}

}  // namespace stitch
