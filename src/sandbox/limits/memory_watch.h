// SPDX-License-Identifier: Apache-2.0
// Limits the memory of processes that reserve address space by the terabyte, by their resident memory.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/process/child.h"

namespace stitch::sandbox {

class MemoryWatch {
 public:
  explicit MemoryWatch(std::optional<uint64_t> limit_bytes) : limit_bytes_(limit_bytes) {}
  // True when the child holds more than it may. Cheap enough to ask in every turn of a wait.
  bool exceeded(const Child& child);

 private:
  std::optional<uint64_t> limit_bytes_;
  std::chrono::steady_clock::time_point next_look_{};
};

}  // namespace stitch::sandbox
