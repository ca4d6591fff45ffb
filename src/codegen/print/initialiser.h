// SPDX-License-Identifier: Apache-2.0
// Braced lists of emitted tables, broken as clang-format breaks them.
#pragma once

#include <string>
#include <vector>

#include "codegen/print/lines.h"

namespace stitch::codegen {

struct Field {
  std::string name;   // ".name = "; empty for an element without one
  std::string value;  // may be of several lines, from braced()
};

// "{.base = 1, .per_batch = 2}" where it fits behind `column`, else a field a line. `after` are the characters that
// follow it on its last line.
std::string braced(const std::vector<Field>& fields, size_t column, size_t after);

// "TYPE NAME[] = {...};" with an element a line.
void add_table(const std::string& head, const std::vector<std::vector<Field>>& rows, Lines& lines);

// The same for short elements. Each has its comment: clang-format puts others side by side.
struct CommentedElement {
  std::string text;
  std::string comment;
};
void add_table(const std::string& head, const std::vector<CommentedElement>& elements, Lines& lines);

// "TYPE NAME[] = {1, 2, 3};" on one line. C++ has no arrays of no elements: one without is of one zero that is never
// read.
void add_list(const std::string& head, const std::vector<std::string>& elements, Lines& lines);
bool fits_on_a_line(const std::string& head, const std::vector<std::string>& elements);

}  // namespace stitch::codegen
