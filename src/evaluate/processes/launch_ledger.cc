// SPDX-License-Identifier: Apache-2.0
#include "evaluate/candidate.h"

namespace stitch::evaluate {

void LaunchLedger::keep(std::vector<LaunchRecord> launches) {
  const std::lock_guard<std::mutex> lock(mutex_);
  launches_ = std::move(launches);
}

std::optional<std::vector<LaunchRecord>> LaunchLedger::launches() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return launches_;
}

}  // namespace stitch::evaluate
