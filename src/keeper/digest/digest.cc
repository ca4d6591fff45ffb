// SPDX-License-Identifier: Apache-2.0
#include "keeper/digest/digest.h"

#include <cstring>

namespace stitch::keeper {
namespace {

__extension__ using Wide = unsigned __int128;

uint64_t mix(uint64_t a, uint64_t b) {
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

constexpr uint64_t kOdd[4] = {0xa0761d6478bd642fu, 0xe7037ed1a0b428dbu, 0x8ebc6af09c88c6e3u, 0x589965cc75374cc3u};

}  // namespace

Digest::Digest(uint64_t key) {
  for (int lane = 0; lane < 4; ++lane) {
    lanes_[lane] = mix(key ^ kOdd[lane], kOdd[(lane + 1) % 4]);
  }
}

void Digest::update(std::span<const std::byte> bytes) {
  bytes_ += bytes.size();
  while (!bytes.empty()) {
    uint64_t words[4] = {};
    const size_t size = std::min(bytes.size(), sizeof(words));
    std::memcpy(words, bytes.data(), size);
    for (int lane = 0; lane < 4; ++lane) {
      // Addition and rotation keep a lane from being stuck at zero, whatever the data.
      const uint64_t turned = (lanes_[lane] << 23) | (lanes_[lane] >> 41);
      lanes_[lane] = turned + mix(words[lane] ^ lanes_[lane], kOdd[lane]);
    }
    bytes = bytes.subspan(size);
  }
}

uint64_t Digest::finish() const {
  uint64_t result = bytes_;
  for (int lane = 0; lane < 4; ++lane) {
    result = mix(result ^ lanes_[lane], kOdd[lane]) + lanes_[lane];
  }
  return result;
}

}  // namespace stitch::keeper
