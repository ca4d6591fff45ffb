// SPDX-License-Identifier: Apache-2.0
// A compiler's, sanitizer's or program's complaint, cut down to the words that say what went wrong.
#pragma once

#include <string>
#include <string_view>

namespace stitch::knowledge {

// Lines that complain go first, and notes and the rest only where none do. Without paths, numbers, addresses, hashes,
// and source that is quoted under a message.
std::string telling_words(std::string_view log);

}  // namespace stitch::knowledge
