// SPDX-License-Identifier: Apache-2.0
// Who has the index of runs open, by a lock that the kernel holds: the index is replaced only while nobody else has it.
// SQLite's own locks lie in the file that is replaced.
#pragma once

#include <chrono>
#include <filesystem>

#include "base/error/result.h"
#include "base/process/descriptor.h"

namespace stitch::runs::internal {

class IndexLock {
 public:
  enum class Kind { kShared, kAlone };

  // Waits for others at most so long; kTimeout then. kEnvironment where `file` cannot be made.
  static Result<IndexLock> take(const std::filesystem::path& file, Kind kind, std::chrono::milliseconds patience);
  // Not in one step: another process may have it alone in between.
  Result<void> change(Kind kind, std::chrono::milliseconds patience);

 private:
  explicit IndexLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

}  // namespace stitch::runs::internal
