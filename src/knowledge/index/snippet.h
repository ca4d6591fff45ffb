// SPDX-License-Identifier: Apache-2.0
// The part of a text that a query is about.
#pragma once

#include <string>
#include <vector>

#include "knowledge/query/terms.h"

namespace stitch::knowledge {

inline constexpr size_t kMaxSnippetBytes = 240;

// One line, safe for a terminal: the line of `text` that has most of the terms, from a little before the first of them.
std::string snippet_of(const std::string& text, const std::vector<Term>& terms);

}  // namespace stitch::knowledge
