// SPDX-License-Identifier: Apache-2.0
// Mistakes of the kinds that a small Coder makes, put into a right text, with what compilers and checks say of each.
#pragma once

#include <string>
#include <vector>

namespace stitch::lessons {

struct Mistake {
  std::string text;       // without comments, as the right one
  std::string told;       // in the words of the public check
  std::string first;      // error of that
  bool is_built = false;  // it compiles, and gives wrong answers
};

// Of a text of a step in `file` ("steps/00_relu.cu") one mistake of each kind that it has a place for; which places
// follows from `seed` alone.
std::vector<Mistake> mistakes_in(const std::string& text, const std::string& file, const std::string& seed);

}  // namespace stitch::lessons
