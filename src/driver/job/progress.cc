// SPDX-License-Identifier: Apache-2.0
#include "driver/job/progress.h"

namespace stitch::driver {

Progress::Wait::Wait(Wait&& other) noexcept
    : progress_(std::exchange(other.progress_, nullptr)), stage_(std::move(other.stage_)), id_(other.id_) {}

Progress::Wait::~Wait() {
  if (progress_ != nullptr) {
    progress_->end(id_);
  }
}

void Progress::Wait::say(const std::string& message) { progress_->say(id_, stage_, message); }

void Progress::Wait::hint(const std::string& message) { progress_->hint(id_, stage_, message); }

Progress::Wait Progress::wait(const std::string& stage, const std::string& message) {
  return Wait(this, stage, begin(stage, message));
}

void Progress::built(DeviceKind, size_t, size_t) {}

void Progress::installed() {}

}  // namespace stitch::driver
