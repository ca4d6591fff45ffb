// SPDX-License-Identifier: Apache-2.0
#include "completions/answer/stop_finder.h"

#include <algorithm>

namespace stitch::completions {
namespace {

// How many bytes at the end of `text` begin `stop`, but are not all of it.
size_t begun(const std::string& text, const std::string& stop) {
  for (size_t length = std::min(text.size(), stop.size() - 1); length > 0; --length) {
    if (text.compare(text.size() - length, length, stop, 0, length) == 0) {
      return length;
    }
  }
  return 0;
}

}  // namespace

std::string StopFinder::push(const std::string& piece) {
  if (is_found_) {
    return "";
  }
  held_ += piece;
  size_t found = std::string::npos;
  size_t kept = 0;
  for (const std::string& stop : stops_) {
    found = std::min(found, held_.find(stop));
    kept = std::max(kept, begun(held_, stop));
  }
  is_found_ = found != std::string::npos;
  const size_t told = is_found_ ? found : held_.size() - kept;
  std::string text = held_.substr(0, told);
  held_.erase(0, told);
  return text;
}

}  // namespace stitch::completions
