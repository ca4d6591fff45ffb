// SPDX-License-Identifier: Apache-2.0
#include "keeper/poison/random_bytes.h"

#include <sys/random.h>

#include <algorithm>
#include <cstring>

#include "base/error/check.h"

namespace stitch::keeper {

RandomBytes::RandomBytes() : state_(0) {
  STITCH_CHECK(::getrandom(&state_, sizeof(state_), 0) == sizeof(state_)) << "the system gave no random bytes";
}

// SplitMix64: one multiplication chain a word, good enough that no kernel's output looks like it.
uint64_t RandomBytes::next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t word = state_;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

void RandomBytes::fill(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const uint64_t word = next();
    const size_t size = std::min(bytes.size(), sizeof(word));
    std::memcpy(bytes.data(), &word, size);
    bytes = bytes.subspan(size);
  }
}

}  // namespace stitch::keeper
