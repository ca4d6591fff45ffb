// SPDX-License-Identifier: Apache-2.0
// The wish that something under way should end, told to the thread that waits for it.
#pragma once

#include <atomic>

#include "base/process/descriptor.h"

namespace stitch {

class Stop {
 public:
  Stop();
  Stop(const Stop&) = delete;
  Stop& operator=(const Stop&) = delete;

  // From any thread, any number of times.
  void wish();
  bool is_wished() const { return is_wished_; }
  // To poll for reading; -1, which poll() passes over, where the system has no descriptor left.
  int descriptor() const { return event_.get(); }

 private:
  std::atomic<bool> is_wished_ = false;
  Descriptor event_;
};

}  // namespace stitch
