// SPDX-License-Identifier: Apache-2.0
// Calls in which the device is more like another machine, or does less, than it would: they show who did the work. A
// GPU is another machine, and does all of its work.
#pragma once

#include <cstddef>
#include <span>

#include "artifact/call_trial.h"
#include "artifact/report/launch_record.h"

namespace stitch::device {

struct Memory {
  void* start;
  size_t bytes;
};

// Emulated: until its end host code that touches these ranges ends the process, and the device does only what `kind`
// says; `without` is kWithoutOne's kernel, as launches() named it.
class Trial {
 public:
  Trial(std::span<const Memory> apart, CallTrial kind, const LaunchRecord* without);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
};

}  // namespace stitch::device
