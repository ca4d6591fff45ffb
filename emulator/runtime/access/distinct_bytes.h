// SPDX-License-Identifier: Apache-2.0
// The counted build: which bytes of global memory a launch has touched, each counted once.
#pragma once

#include <stdint.h>

#include <memory>
#include <vector>

namespace stitch_emulator {

class DistinctBytes {
 public:
  // `address` is a device place; `bytes` of at most 16 do not cross a multiple of 32.
  void add(uint64_t address, uint32_t bytes) {
    Page& page = page_of(address / kPage);
    uint32_t& seen = page.seen[address % kPage / kSector];
    const uint32_t touched = ((1u << bytes) - 1) << (address % kSector);
    count_ += static_cast<uint64_t>(__builtin_popcount(touched & ~seen));
    seen |= touched;
  }
  uint64_t count() const { return count_; }
  void forget() {
    ++generation_;
    count_ = 0;
  }

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr uint64_t kSector = 32;
  struct Page {
    uint32_t generation = 0;
    uint32_t seen[kPage / kSector];  // a bit a byte
  };

  Page& page_of(uint64_t number) {
    if (number >= pages_.size()) {
      pages_.resize(number + 1 + number / 2);
    }
    std::unique_ptr<Page>& page = pages_[number];
    if (page == nullptr) {
      page = std::make_unique<Page>();
    }
    if (page->generation != generation_) {
      page->generation = generation_;
      __builtin_memset(page->seen, 0, sizeof(page->seen));
    }
    return *page;
  }

  std::vector<std::unique_ptr<Page>> pages_;
  uint32_t generation_ = 1;
  uint64_t count_ = 0;
};

}  // namespace stitch_emulator
