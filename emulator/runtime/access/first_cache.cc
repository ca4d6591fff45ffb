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
constexpr uint32_t kMultiprocessors = 128;  // of a large device, rounded

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
  ++block_;  // the last launch's blocks leave nothing
}

void FirstCache::begin_block() {
  ++block_;
  longest_ = *std::max_element(std::begin(times_), std::end(times_));
  std::fill(std::begin(times_), std::end(times_), 0);
}

bool FirstCache::read(unsigned int warp, uint32_t sector) {
  constexpr uint32_t kSpread = 0x9e3779b1u;  // rows whose length is a power of two go to different places
  Entry& entry = entries_[sector * kSpread >> (kWordBits - kIndexBits)];
  const uint64_t time = times_[warp]++;
  const bool is_known = entry.block != 0 && entry.sector == sector;
  const bool is_own = is_known && entry.block == block_;
  const bool is_of_last = is_known && entry.block + 1 == block_;
  // What its warps have read since: in this block, or to the end of the last one and in this one.
  uint64_t since = time > entry.time ? time - entry.time : entry.time - time;
  if (is_of_last) {
    since = longest_ - std::min(longest_, entry.time) + time;
  }
  const bool is_left = is_own || (is_of_last && entry.row >= kMultiprocessors);
  entry = {sector, is_own ? entry.row : is_of_last ? entry.row + 1 : 0, block_, time};
  return is_left && since * warps_ <= share_;
}

}  // namespace stitch_emulator
