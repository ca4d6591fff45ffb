// SPDX-License-Identifier: Apache-2.0
// The width of text on a terminal: a Chinese character takes two columns, a combining accent none.
#pragma once

#include <string>
#include <string_view>

namespace stitch {

// Columns that UTF-8 `text` takes; a byte that is no UTF-8 takes one.
int display_columns(std::string_view text);

// The beginning of `text` that fits, ending in an ellipsis ("…", or "..." without `unicode`) where something is cut.
// Control characters become spaces: nothing in a message may move the cursor.
std::string cut_to_columns(std::string_view text, int columns, bool unicode);

}  // namespace stitch
