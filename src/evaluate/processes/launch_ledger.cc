// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "evaluate/candidate.h"

namespace stitch::evaluate {

void LaunchLedger::keep(std::vector<LaunchRecord> launches) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (adds_) {
    all_.add(launches);
  }
  last_ = std::move(launches);
}

void LaunchLedger::stop_adding() {
  const std::lock_guard<std::mutex> lock(mutex_);
  adds_ = false;
}

void LaunchLedger::mark_idle(const LaunchRecord& kernel) {
  const std::lock_guard<std::mutex> lock(mutex_);
  idle_.push_back(kernel);
}

std::optional<std::vector<LaunchRecord>> LaunchLedger::last() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::optional<std::vector<LaunchRecord>> told = last_;
  for (size_t i = 0; told.has_value() && i < told->size(); ++i) {
    (*told)[i].is_idle = is_idle((*told)[i]);
  }
  return told;
}

std::optional<ListedLaunches> LaunchLedger::all() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (all_.calls == 0) {
    return std::nullopt;
  }
  ListedLaunches told = all_;
  for (LaunchRecord& record : told.records) {
    record.is_idle = is_idle(record);
  }
  return told;
}

bool LaunchLedger::is_idle(const LaunchRecord& kernel) const {
  return std::any_of(idle_.begin(), idle_.end(),
                     [&](const LaunchRecord& each) { return is_same_kernel(each, kernel); });
}

}  // namespace stitch::evaluate
