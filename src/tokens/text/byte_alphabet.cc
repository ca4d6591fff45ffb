// SPDX-License-Identifier: Apache-2.0
#include "tokens/text/byte_alphabet.h"

#include <array>

#include "tokens/text/utf8.h"

namespace stitch::tokens {
namespace {

constexpr bool stands_for_itself(uint32_t byte) {
  return (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || (byte >= 0xae && byte <= 0xff);
}

constexpr std::array<char32_t, 256> kLetters = [] {
  std::array<char32_t, 256> letters{};
  char32_t next = 0x100;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    letters[byte] = stands_for_itself(byte) ? byte : next++;
  }
  return letters;
}();
constexpr char32_t kLastLetter = 0x143;

constexpr std::array<int16_t, kLastLetter + 1> kBytes = [] {
  std::array<int16_t, kLastLetter + 1> bytes{};
  bytes.fill(-1);
  for (size_t byte = 0; byte < 256; ++byte) {
    bytes[kLetters[byte]] = static_cast<int16_t>(byte);
  }
  return bytes;
}();

}  // namespace

char32_t letter_of(uint8_t byte) { return kLetters[byte]; }

std::optional<std::string> bytes_of_letters(std::string_view letters) {
  std::string bytes;
  while (!letters.empty()) {
    const Utf8Step step = first_character(letters);
    if (!step.is_valid || step.character > kLastLetter || kBytes[step.character] < 0) {
      return std::nullopt;
    }
    bytes += static_cast<char>(static_cast<uint8_t>(kBytes[step.character]));
    letters.remove_prefix(step.bytes);
  }
  return bytes;
}

std::string letters_of_bytes(std::string_view bytes) {
  std::string letters;
  for (const char byte : bytes) {
    append_utf8(letter_of(static_cast<uint8_t>(byte)), letters);
  }
  return letters;
}

}  // namespace stitch::tokens
