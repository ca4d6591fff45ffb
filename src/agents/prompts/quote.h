// SPDX-License-Identifier: Apache-2.0
// What compilers, programs and documents say, as it may stand in a prompt: material between marks that it cannot close.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stitch::agents {

// At most `max_bytes` of the text: of a longer one the beginning and the end.
std::string cut_in_the_middle(std::string_view text, size_t max_bytes);
// <material from="SOURCE"> ... </material>
std::string quoted(std::string_view source, std::string_view text, size_t max_bytes);

}  // namespace stitch::agents
