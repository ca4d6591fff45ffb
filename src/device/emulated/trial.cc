// SPDX-License-Identifier: Apache-2.0
#include "device/trial.h"

#include <stitch_emulator_control.h>

#include <algorithm>
#include <vector>

namespace stitch::device {

namespace {

constexpr size_t kMostRanges = 65536;  // each is a byte at least: more of them say nothing else

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

void watch_host_bytes(bool on) { stitch_emulator_watch_host_bytes(on ? 1 : 0); }

void keep_commands(bool on) { stitch_emulator_keep_commands(on ? 1 : 0); }
void forget_commands() { stitch_emulator_forget_commands(); }
bool play_commands() { return stitch_emulator_play_commands() != 0; }
uint64_t bytes_told() { return stitch_emulator_bytes_told(); }

std::optional<std::vector<Memory>> host_bytes() {
  std::vector<stitch_emulator_range> ranges(kMostRanges);
  ranges.resize(std::min(ranges.size(), stitch_emulator_get_host_bytes(ranges.data(), ranges.size())));
  std::vector<Memory> pieces;
  for (const stitch_emulator_range& range : ranges) {
    pieces.push_back({range.start, range.bytes});
  }
  return pieces;
}

}  // namespace stitch::device
