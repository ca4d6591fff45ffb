// SPDX-License-Identifier: Apache-2.0
#include "mcp/calls/gate.h"

#include <chrono>

namespace stitch::mcp {
namespace {

// A stop is a descriptor and no condition: looked at so often while the gate is shut.
constexpr std::chrono::milliseconds kLook{50};

}  // namespace

Gate::Pass Gate::enter(const Stop& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.is_wished()) {
    if (changed_.wait_for(lock, kLook, [&] { return free_ > 0; })) {
      --free_;
      return Pass(this);
    }
  }
  return Pass(nullptr);
}

Gate::Pass::~Pass() {
  if (gate_ != nullptr) {
    {
      const std::lock_guard lock(gate_->mutex_);
      ++gate_->free_;
    }
    gate_->changed_.notify_one();
  }
}

}  // namespace stitch::mcp
