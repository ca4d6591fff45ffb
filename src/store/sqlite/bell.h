// SPDX-License-Identifier: Apache-2.0
// How processes of one machine wake each other: an empty file is touched, and inotify tells who waits.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/error/result.h"
#include "base/process/descriptor.h"

namespace stitch::store::internal {

// That nobody hears it is no failure: who waits looks again after a while.
void ring(const std::filesystem::path& bell);

class BellWait {
 public:
  // Returns when `bell` was rung since the last call or after that long; the first call for a bell returns at once.
  Result<void> wait(const std::filesystem::path& bell, int64_t timeout_ms);

 private:
  std::filesystem::path bell_;
  Descriptor watch_;
};

}  // namespace stitch::store::internal
