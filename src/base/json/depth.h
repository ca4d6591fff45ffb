// SPDX-License-Identifier: Apache-2.0
// How deeply a text of JSON is nested, before it is read: reading does not recurse, but copying and printing what was
// read do.
#pragma once

#include <string_view>

namespace stitch {

// Of a text that is no JSON the answer means nothing.
bool is_nested_deeper(std::string_view text, int max_depth);

}  // namespace stitch
