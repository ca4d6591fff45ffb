// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "evaluate/candidate.h"

namespace stitch::evaluate {
namespace {

bool is_same_kernel(const LaunchRecord& left, const LaunchRecord& right) {
  return left.name == right.name && left.file == right.file && left.line == right.line;
}

}  // namespace

void LaunchLedger::keep(std::vector<LaunchRecord> launches) {
  const std::lock_guard<std::mutex> lock(mutex_);
  launches_ = std::move(launches);
}

void LaunchLedger::mark_idle(const LaunchRecord& kernel) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(kernel);
}

std::optional<std::vector<LaunchRecord>> LaunchLedger::launches() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!launches_.has_value()) {
    return std::nullopt;
  }
  std::vector<LaunchRecord> told = *launches_;
  for (LaunchRecord& record : told) {
    record.is_idle = std::any_of(idle_.begin(), idle_.end(),
                                 [&](const LaunchRecord& kernel) { return is_same_kernel(kernel, record); });
  }
  return told;
}

}  // namespace stitch::evaluate
