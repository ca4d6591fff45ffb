// SPDX-License-Identifier: Apache-2.0
// How far two words are apart, for "did you mean".
#pragma once

#include <cstddef>
#include <string_view>

namespace stitch {

// The number of single characters inserted, removed or replaced that leads from one to the other.
size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace stitch
