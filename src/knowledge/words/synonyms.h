// SPDX-License-Identifier: Apache-2.0
// Words of the field that mean the same, or nearly: who asks for one finds what was written with another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stitch::knowledge {

// The others of its groups, in lower case without separators, as words_of() gives them; mostly none.
std::vector<std::string> synonyms_of(std::string_view word);

}  // namespace stitch::knowledge
