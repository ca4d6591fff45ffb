// SPDX-License-Identifier: Apache-2.0
// Output of a child that we do not trust to be short: its first or its last so many bytes, the cut marked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace stitch {

class CappedText {
 public:
  enum class Keep { kFirst, kLast };
  CappedText(size_t limit_bytes, Keep keep) : limit_bytes_(limit_bytes), keep_(keep) {}

  void append(std::string_view text);
  // Returns what was kept, with a line that says how much was not, and empties this.
  std::string take();

 private:
  size_t limit_bytes_;
  Keep keep_;
  std::string text_;
  uint64_t dropped_bytes_ = 0;
};

}  // namespace stitch
