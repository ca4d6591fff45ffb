// SPDX-License-Identifier: Apache-2.0
// GPT-2's alphabet, by which vocabularies write bytes: a printable character stands for itself, the others for U+0100
// and what follows ("Ġ" is a space).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stitch::tokens {

char32_t letter_of(uint8_t byte);

// "Ġthe" -> " the"; empty where a character is none of the alphabet.
std::optional<std::string> bytes_of_letters(std::string_view letters);
std::string letters_of_bytes(std::string_view bytes);

}  // namespace stitch::tokens
