// SPDX-License-Identifier: Apache-2.0
#include "base/json/depth.h"

namespace stitch {

bool is_nested_deeper(std::string_view text, int max_depth) {
  int depth = 0;
  bool is_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (is_string) {
      at += character == '\\' ? 1 : 0;
      is_string = character != '"';
    } else if (character == '"') {
      is_string = true;
    } else if (character == '[' || character == '{') {
      if (++depth > max_depth) {
        return true;
      }
    } else if (character == ']' || character == '}') {
      --depth;
    }
  }
  return false;
}

}  // namespace stitch
