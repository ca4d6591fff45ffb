// SPDX-License-Identifier: Apache-2.0
// A program's text as a judge may read it: no comment, no string, no name that its author chose.
#pragma once

#include <map>
#include <string>

namespace stitch::rubric {

// `files`: text by name. Names that C++, CUDA and its libraries give stay; all others become numbers, the same one
// everywhere. What the preprocessor leaves out is left out. Cut, with a mark, where it is too long.
std::string neutral_text(const std::map<std::string, std::string>& files);

}  // namespace stitch::rubric
