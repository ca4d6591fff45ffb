// SPDX-License-Identifier: Apache-2.0
#include "sandbox/limits/memory_watch.h"

namespace stitch::sandbox {

bool MemoryWatch::exceeded(const Child& child) {
  constexpr std::chrono::milliseconds kInterval{20};
  const auto now = std::chrono::steady_clock::now();
  if (!limit_bytes_.has_value() || now < next_look_) {
    return false;
  }
  next_look_ = now + kInterval;
  return child.resident_bytes() > *limit_bytes_;
}

}  // namespace stitch::sandbox
