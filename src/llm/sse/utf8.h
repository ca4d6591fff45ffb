// SPDX-License-Identifier: Apache-2.0
// A model's tokens end within characters, and some servers send each token's bytes as they are. Neither JSON nor our
// files take half a character, so the bytes travel as characters of a private area until all of them are there.
#pragma once

#include <string>
#include <string_view>

namespace stitch::llm {

// `text` with each byte that is part of no character as one of U+F780 to U+F7FF.
std::string with_stray_bytes_marked(std::string_view text);
// The reverse, on text that may hold their neighbours now. A byte that is still part of no character becomes U+FFFD.
std::string with_marked_bytes_joined(std::string_view text);

}  // namespace stitch::llm
