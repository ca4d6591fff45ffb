// SPDX-License-Identifier: Apache-2.0
#include "device/trial.h"

#include <stitch_emulator_control.h>

#include <vector>

namespace stitch::device {

namespace {

void leave_out(const LaunchRecord& kernel) {
  stitch_emulator_launches entry{};
  kernel.name.copy(entry.name, sizeof(entry.name) - 1);
  kernel.file.copy(entry.file, sizeof(entry.file) - 1);
  entry.line = static_cast<int>(kernel.line);
  stitch_emulator_leave_out(&entry);
}

std::vector<stitch_emulator_range> ranges_of(std::span<const Memory> pieces) {
  std::vector<stitch_emulator_range> ranges(1, {nullptr, 0});  // never an empty list, which would keep nothing apart
  for (const Memory& memory : pieces) {
    ranges.push_back({memory.start, memory.bytes});
  }
  return ranges;
}

}  // namespace

void lend(std::span<const Memory> pieces) {
  const std::vector<stitch_emulator_range> ranges = ranges_of(pieces);
  stitch_emulator_lend(ranges.data(), ranges.size());
}

CallTrialScope::CallTrialScope(std::span<const Memory> apart, CallTrial kind, const LaunchRecord* without) {
  if (kind == CallTrial::kNone) {
    return;
  }
  if (kind != CallTrial::kWithoutKernelsOpen) {
    const std::vector<stitch_emulator_range> ranges = ranges_of(apart);
    stitch_emulator_keep_apart(ranges.data(), ranges.size());
  }
  stitch_emulator_run_only(is_without_kernels(kind)                ? STITCH_EMULATOR_COPIES
                           : kind == CallTrial::kDeviceCopiesAlone ? STITCH_EMULATOR_DEVICE_COPIES
                                                                   : STITCH_EMULATOR_ALL);
  if (kind == CallTrial::kWithoutOne && without != nullptr) {
    leave_out(*without);
  }
}

CallTrialScope::~CallTrialScope() {
  stitch_emulator_leave_out(nullptr);
  stitch_emulator_run_only(STITCH_EMULATOR_ALL);
  stitch_emulator_keep_apart(nullptr, 0);
}

}  // namespace stitch::device
