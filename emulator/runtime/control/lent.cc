// SPDX-License-Identifier: Apache-2.0
#include "control/lent.h"

#include <stitch_emulator_control.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace stitch_emulator {
namespace {

std::mutex lent_mutex;
bool was_lent = false;

std::vector<stitch_emulator_range>& lent_ranges() {
  static std::vector<stitch_emulator_range> ranges;
  return ranges;
}

template <typename Is>
bool any_lent(const Is& is) {
  const std::lock_guard<std::mutex> lock(lent_mutex);
  return std::any_of(lent_ranges().begin(), lent_ranges().end(), is);
}

}  // namespace

bool has_caller() { return was_lent; }

bool is_lent(const void* address) {
  return any_lent([=](const stitch_emulator_range& range) {
    const auto* start = static_cast<const char*>(range.start);
    return address >= start && address < start + range.bytes;
  });
}

bool is_lent_from(const void* start) {
  return any_lent([=](const stitch_emulator_range& range) { return range.start == start; });
}

MemoryPiece lent_piece(const void* address) {
  const std::lock_guard<std::mutex> lock(lent_mutex);
  for (const stitch_emulator_range& range : lent_ranges()) {
    const auto* start = static_cast<const char*>(range.start);
    if (address >= start && address < start + range.bytes) {
      return {start, range.bytes};
    }
  }
  return {};
}

}  // namespace stitch_emulator

extern "C" void stitch_emulator_lend(const stitch_emulator_range* ranges, size_t count) {
  const std::lock_guard<std::mutex> lock(stitch_emulator::lent_mutex);
  stitch_emulator::was_lent = true;
  stitch_emulator::lent_ranges().assign(ranges, ranges + count);
}
