// SPDX-License-Identifier: Apache-2.0
#include "rewriter/edits.h"

#include <algorithm>
#include <string_view>

namespace stitch::rewriter {

std::string apply_edits(std::string_view source, std::vector<Edit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.begin < b.begin; });
  std::string result;
  size_t position = 0;
  for (const Edit& edit : edits) {
    if (edit.begin < position) {
      continue;  // inside a piece that was replaced as a whole
    }
    result += source.substr(position, edit.begin - position);
    result += edit.text;
    const std::string_view replaced = source.substr(edit.begin, edit.end - edit.begin);
    const auto before = std::count(replaced.begin(), replaced.end(), '\n');
    const auto after = std::count(edit.text.begin(), edit.text.end(), '\n');
    for (auto i = after; i < before; ++i) {
      result += '\n';
    }
    position = edit.end;
  }
  result += source.substr(position);
  return result;
}

}  // namespace stitch::rewriter
