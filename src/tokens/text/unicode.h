// SPDX-License-Identifier: Apache-2.0
// What ICU says of characters and texts. Its tables are those of Unicode 15.0 (Debian 12).
#pragma once

#include <string>
#include <string_view>

#include "base/error/result.h"

namespace stitch::tokens {

// Normalisation form C. `text` is valid UTF-8; kEnvironment where memory runs out.
Result<std::string> composed(std::string_view text);

bool is_white_space(char32_t character);        // White_Space
bool is_word_character(char32_t character);     // of UTS 18: Alphabetic, Mark, Decimal_Number, Connector, Join_Control
bool is_numeric_character(char32_t character);  // Nd, Nl, No

}  // namespace stitch::tokens
