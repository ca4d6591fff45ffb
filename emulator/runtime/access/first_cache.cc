// SPDX-License-Identifier: Apache-2.0
#include "access/first_cache.h"

#include <algorithm>

#include "access/warp_access.h"

namespace stitch_emulator {
namespace {

// Of a multiprocessor of Ampere and Hopper: cache and shared memory together.
constexpr size_t kBytes = size_t{256} << 10;
constexpr size_t kThreads = 2048;
constexpr size_t kMaxBlocks = 32;
constexpr size_t kOwnSharedBytes = 1024;  // that each block takes besides its own
constexpr size_t kLeastBytes = 1024;      // of a block's share
constexpr unsigned int kWordBits = 32;

size_t share_of(size_t threads, size_t shared_bytes) {
  const size_t shared = shared_bytes + kOwnSharedBytes;
  const size_t by_threads = std::min(kMaxBlocks, kThreads / std::max<size_t>(threads, 1));
  const size_t blocks = std::max<size_t>(1, std::min(by_threads, kBytes / shared));
  const size_t taken = blocks * shared;
  return std::max(kLeastBytes, taken < kBytes ? (kBytes - taken) / blocks : 0);
}

}  // namespace

void FirstCache::begin_launch(int threads, size_t shared_bytes) {
  warps_ = (static_cast<uint64_t>(threads) + kWarpSize - 1) / kWarpSize;
  share_ = share_of(static_cast<size_t>(threads), shared_bytes) / kSectorBytes;
}

void FirstCache::begin_block() {
  ++block_;
  std::fill(std::begin(times_), std::end(times_), 0);
}

bool FirstCache::read(unsigned int warp, uint32_t sector) {
  constexpr uint32_t kSpread = 0x9e3779b1u;  // rows whose length is a power of two go to different places
  Entry& entry = entries_[sector * kSpread >> (kWordBits - kIndexBits)];
  const uint64_t tag = block_ << kWordBits | sector;
  const uint64_t time = times_[warp]++;
  const uint64_t passed = std::max(time, entry.time) - std::min(time, entry.time);
  const bool is_there = entry.tag == tag && passed * warps_ <= share_;
  entry = {tag, time};
  return is_there;
}

}  // namespace stitch_emulator
