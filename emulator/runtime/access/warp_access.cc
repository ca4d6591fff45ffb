// SPDX-License-Identifier: Apache-2.0
#include "access/warp_access.h"

#include <algorithm>

namespace stitch_emulator {
namespace {

constexpr uint32_t kLanes = 32;
constexpr uint32_t kHalf = 16;
constexpr uint32_t kQuarter = 8;

uint32_t listed(const WarpAccess& access, uint32_t (&list)[kLanes]) {
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (access.lanes >> lane & 1u) {
      list[count++] = access.at[lane];
    }
  }
  return count;
}

// The lanes from `first` on want words of one bank at most so many times. Words that several lanes want count once.
uint32_t turns(const WarpAccess& access, uint32_t first, uint32_t count) {
  constexpr uint32_t kWordsOfLane = 4;
  uint32_t words[kLanes * kWordsOfLane];
  uint32_t found = 0;
  for (uint32_t lane = first; lane < first + count; ++lane) {
    if ((access.lanes >> lane & 1u) == 0) {
      continue;
    }
    const uint32_t last = (access.at[lane] + access.bytes - 1) / kBankBytes;
    for (uint32_t word = access.at[lane] / kBankBytes; word <= last; ++word) {
      words[found++] = word;
    }
  }
  std::sort(words, words + found);
  uint8_t wanted[kBanks] = {};
  uint32_t most = 0;
  for (uint32_t i = 0; i < found; ++i) {
    if (i == 0 || words[i] != words[i - 1]) {
      most = std::max<uint32_t>(most, ++wanted[words[i] % kBanks]);
    }
  }
  return most;
}

bool agree(const WarpAccess& access, uint32_t first, uint32_t count, uint32_t distance) {
  for (uint32_t lane = first; lane < first + count; ++lane) {
    const uint32_t other = lane ^ distance;
    const bool both = (access.lanes >> lane & 1u) != 0 && (access.lanes >> other & 1u) != 0;
    if (both && access.at[lane] != access.at[other]) {
      return false;
    }
  }
  return true;
}

bool go_together(const WarpAccess& access, uint32_t first, uint32_t count) {
  return agree(access, first, count, 1) || agree(access, first, count, 2);
}

uint32_t in_parts(const WarpAccess& access, uint32_t first, uint32_t count, uint32_t part) {
  if (go_together(access, first, count)) {
    return turns(access, first, count);
  }
  uint32_t sum = 0;
  for (uint32_t start = first; start < first + count; start += part) {
    sum += turns(access, start, part);
  }
  return sum;
}

}  // namespace

uint32_t sectors_of(const WarpAccess& access, uint32_t (&sectors)[kLanes]) {
  const uint32_t count = listed(access, sectors);
  if (!std::is_sorted(sectors, sectors + count)) {
    std::sort(sectors, sectors + count);
  }
  return static_cast<uint32_t>(std::unique(sectors, sectors + count) - sectors);
}

uint32_t atomic_sectors_of(const WarpAccess& access) {
  uint32_t sectors[kLanes];
  const uint32_t count = listed(access, sectors);
  std::sort(sectors, sectors + count);
  uint32_t different = 0;
  uint32_t run = 0;
  uint32_t longest = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const bool is_new = i == 0 || sectors[i] != sectors[i - 1];
    different += is_new ? 1 : 0;
    run = is_new ? 1 : run + 1;
    longest = std::max(longest, run);
  }
  return std::max(2 * different, longest);
}

uint32_t wavefronts_of(const WarpAccess& access) {
  if (access.bytes <= kBankBytes) {
    return turns(access, 0, kLanes);
  }
  if (access.bytes <= 2 * kBankBytes) {
    return in_parts(access, 0, kLanes, kHalf);
  }
  return in_parts(access, 0, kHalf, kQuarter) + in_parts(access, kHalf, kHalf, kQuarter);
}

uint32_t atomic_wavefronts_of(const WarpAccess& access) {
  uint32_t wanted[kBanks] = {};
  uint32_t most = 0;
  for (uint32_t lane = 0; lane < kLanes; ++lane) {
    if (access.lanes >> lane & 1u) {
      most = std::max(most, ++wanted[access.at[lane] / kBankBytes % kBanks]);
    }
  }
  return most;
}

}  // namespace stitch_emulator
