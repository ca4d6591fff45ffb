// SPDX-License-Identifier: Apache-2.0
#include "base/process/capped_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace stitch {

void CappedText::append(std::string_view text) {
  if (keep_ == Keep::kFirst) {
    const size_t taken = std::min(text.size(), limit_bytes_ - text_.size());
    text_.append(text.substr(0, taken));
    dropped_bytes_ += text.size() - taken;
    return;
  }
  text_.append(text);
  if (text_.size() > 2 * limit_bytes_) {  // cut seldom, so that many short pieces stay cheap
    dropped_bytes_ += text_.size() - limit_bytes_;
    text_.erase(0, text_.size() - limit_bytes_);
  }
}

std::string CappedText::take() {
  if (text_.size() > limit_bytes_) {
    dropped_bytes_ += text_.size() - limit_bytes_;
    text_.erase(0, text_.size() - limit_bytes_);
  }
  std::string text = std::exchange(text_, {});
  const uint64_t dropped = std::exchange(dropped_bytes_, 0);
  if (dropped == 0) {
    return text;
  }
  const std::string mark = fmt::format("[{} bytes of output were cut here]\n", dropped);
  return keep_ == Keep::kFirst ? text + "\n" + mark : mark + text;
}

}  // namespace stitch
