// SPDX-License-Identifier: Apache-2.0
#include "tokens/text/utf8.h"

#include <algorithm>
#include <cstdint>

namespace stitch::tokens {
namespace {

constexpr char32_t kReplacement = 0xfffd;

struct Lead {
  size_t bytes = 0;  // of the whole character; 0: no character begins so
  uint8_t min_second = 0x80;
  uint8_t max_second = 0xbf;
};

// Unicode 15, table 3-7: neither overlong forms nor surrogates nor anything above U+10FFFF.
Lead lead_of(uint8_t byte) {
  if (byte < 0x80) {
    return {1};
  }
  if (byte < 0xc2 || byte > 0xf4) {
    return {};
  }
  if (byte < 0xe0) {
    return {2};
  }
  if (byte < 0xf0) {
    return {3, static_cast<uint8_t>(byte == 0xe0 ? 0xa0 : 0x80), static_cast<uint8_t>(byte == 0xed ? 0x9f : 0xbf)};
  }
  return {4, static_cast<uint8_t>(byte == 0xf0 ? 0x90 : 0x80), static_cast<uint8_t>(byte == 0xf4 ? 0x8f : 0xbf)};
}

}  // namespace

Utf8Step first_character(std::string_view text) {
  const auto byte = [&](size_t at) { return static_cast<uint8_t>(text[at]); };
  const Lead lead = lead_of(byte(0));
  if (lead.bytes == 0) {
    return {1, kReplacement, false, false};
  }
  char32_t character = lead.bytes == 1 ? byte(0) : byte(0) & (0xffU >> (lead.bytes + 1));
  for (size_t i = 1; i < lead.bytes; ++i) {
    if (i >= text.size()) {
      return {i, kReplacement, false, true};
    }
    const uint8_t min = i == 1 ? lead.min_second : 0x80;
    const uint8_t max = i == 1 ? lead.max_second : 0xbf;
    if (byte(i) < min || byte(i) > max) {
      return {i, kReplacement, false, false};
    }
    character = character << 6 | (byte(i) & 0x3fU);
  }
  return {lead.bytes, character, true, false};
}

std::string repaired(std::string_view text) {
  std::string good;
  good.reserve(text.size());
  while (!text.empty()) {
    const Utf8Step step = first_character(text);
    good += step.is_valid ? text.substr(0, step.bytes) : std::string_view("\xef\xbf\xbd");
    text.remove_prefix(step.bytes);
  }
  return good;
}

size_t incomplete_tail(std::string_view text) {
  for (size_t bytes = std::min<size_t>(3, text.size()); bytes > 0; --bytes) {
    const Utf8Step step = first_character(text.substr(text.size() - bytes));
    if (step.is_cut && step.bytes == bytes) {
      return bytes;
    }
  }
  return 0;
}

void append_utf8(char32_t character, std::string& text) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<uint8_t>(byte)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xc0 | character >> 6);
    put(0x80 | (character & 0x3f));
  } else if (character < 0x10000) {
    put(0xe0 | character >> 12);
    put(0x80 | (character >> 6 & 0x3f));
    put(0x80 | (character & 0x3f));
  } else {
    put(0xf0 | character >> 18);
    put(0x80 | (character >> 12 & 0x3f));
    put(0x80 | (character >> 6 & 0x3f));
    put(0x80 | (character & 0x3f));
  }
}

}  // namespace stitch::tokens
