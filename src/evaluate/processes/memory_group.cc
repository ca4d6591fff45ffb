// SPDX-License-Identifier: Apache-2.0
#include "evaluate/processes/memory_group.h"

namespace stitch::evaluate {
namespace {

// Red zones are at least as large as a sanitizer's, and vary by up to 4 KiB.
constexpr uint64_t kMinRedZone = 256;
constexpr uint64_t kMaxShift = 4096;

uint64_t round_up(uint64_t bytes, uint64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

}  // namespace

uint64_t room_for(const std::vector<uint64_t>& sizes) {
  uint64_t bytes = kMinRedZone;
  for (const uint64_t size : sizes) {
    bytes += round_up(size, kBlockAlignment) + 2 * kMinRedZone + kMaxShift;
  }
  return bytes;
}

void lay_out(MemoryGroup& group, uint64_t alignment, std::mt19937_64& random) {
  group.regions.clear();
  group.red_zones.clear();
  std::uniform_int_distribution<uint64_t> shift(0, kMaxShift / alignment - 1);
  uint64_t end = 0;
  for (const uint64_t size : group.sizes) {
    const uint64_t begin = round_up(end + kMinRedZone, alignment) + shift(random) * alignment;
    group.red_zones.push_back({.block = group.block, .offset = end, .bytes = begin - end});
    group.regions.push_back({.block = group.block, .offset = begin, .bytes = size});
    end = begin + size;
  }
  group.red_zones.push_back({.block = group.block, .offset = end, .bytes = room_for(group.sizes) - end});
}

}  // namespace stitch::evaluate
