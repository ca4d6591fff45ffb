// SPDX-License-Identifier: Apache-2.0
// A digest that tells whether a buffer changed during a run. Keyed by a secret of the keeper's process, so that nobody
// outside can make a change that it misses; far faster than a cryptographic one, and never stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace stitch::keeper {

class Digest {
 public:
  explicit Digest(uint64_t key);
  // Every piece but the last must be a multiple of 32 bytes long.
  void update(std::span<const std::byte> bytes);
  uint64_t finish() const;

 private:
  uint64_t lanes_[4];
  uint64_t bytes_ = 0;
};

}  // namespace stitch::keeper
