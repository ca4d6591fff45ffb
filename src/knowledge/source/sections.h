// SPDX-License-Identifier: Apache-2.0
// Documents of people: a text to one document a section, by its headings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "knowledge/source/document.h"

namespace stitch::knowledge {

// `base` gives id (of the whole; a section's has "#heading" behind it), origin, source, and a title for what stands
// before the first heading. Headings are lines that begin with "#"; fences of code hold none.
std::vector<Document> markdown_sections(const Document& base, std::string_view text);

// Without markup; <h1> to <h4> become headings, scripts and styles go. What is cut short is read as far as it goes.
std::string html_to_markdown(std::string_view html);

// Text without headings: paragraphs, as many together as fit.
std::vector<Document> plain_sections(const Document& base, std::string_view text);

}  // namespace stitch::knowledge
