// SPDX-License-Identifier: Apache-2.0
// Calls under which the device is more like another machine, or does less work, than usual: they show who did the work.
// On a GPU, which is another machine and always does all its work, this has no effect.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "artifact/call_trial.h"
#include "artifact/report/launch_record.h"

namespace stitch::device {

struct Memory {
  void* start;
  size_t bytes;
};

// Emulated: the device is a caller's, who lends these pieces to a program: one that frees them or resets the device is
// ended. A GPU's driver knows whose its memory is.
void lend(std::span<const Memory> pieces);

// Emulated: until its destruction, host code that touches these ranges ends the process, and the device does only what
// `kind` says. `without` is the kernel that kWithoutOne leaves out, as launches() named it.
class CallTrialScope {
 public:
  CallTrialScope(std::span<const Memory> apart, CallTrial kind, const LaunchRecord* without);
  ~CallTrialScope();
  CallTrialScope(const CallTrialScope&) = delete;
  CallTrialScope& operator=(const CallTrialScope&) = delete;
};

// Emulated: which bytes of the device's memory are the host's word, as stitch_emulator_control.h has it, of what is
// enqueued while they are watched. Nothing on a GPU, which does not look.
void watch_host_bytes(bool on);
std::optional<std::vector<Memory>> host_bytes();

// Emulated: between true and false the commands of a program are kept, until they are forgotten. play_commands() does
// them once more with what the device's memory holds by then, as stitch_emulator_control.h has it, and answers whether
// that ended well; bytes_told() is what the host saw of the device's memory meanwhile. A GPU keeps nothing.
void keep_commands(bool on);
void forget_commands();
bool play_commands();
uint64_t bytes_told();

}  // namespace stitch::device
