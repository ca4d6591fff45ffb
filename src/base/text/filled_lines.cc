// SPDX-License-Identifier: Apache-2.0
#include "base/text/filled_lines.h"

#include <algorithm>

namespace stitch {

Result<void> for_each_filled_line(std::string_view text,
                                  const std::function<Result<void>(std::string_view line, int64_t number)>& take) {
  for (int64_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    if (line.find_first_not_of(" \t\r") != std::string_view::npos) {
      STITCH_TRY(take(line, number));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return {};
}

}  // namespace stitch
