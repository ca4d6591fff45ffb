// SPDX-License-Identifier: Apache-2.0
// Random numbers that are functions of their place: Philox4x32 with ten rounds (Salmon et al., "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011). Whoever needs element i computes it, in any order, as often as wanted.
#pragma once

#include <cuda_runtime.h>
#include <stdint.h>

namespace stitch {

struct PhiloxBlock {
  uint32_t word[4];
};

// The four words of one counter under one key.
__host__ __device__ inline PhiloxBlock philox(PhiloxBlock counter, uint64_t key) {
  constexpr uint32_t kMultiplierA = 0xD2511F53u;
  constexpr uint32_t kMultiplierB = 0xCD9E8D57u;
  constexpr uint32_t kWeylA = 0x9E3779B9u;  // the golden ratio
  constexpr uint32_t kWeylB = 0xBB67AE85u;  // the square root of three, less one
  constexpr int kRounds = 10;
  auto key_a = static_cast<uint32_t>(key);
  auto key_b = static_cast<uint32_t>(key >> 32);
#pragma unroll
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t a = static_cast<uint64_t>(kMultiplierA) * counter.word[0];
    const uint64_t b = static_cast<uint64_t>(kMultiplierB) * counter.word[2];
    counter = {{static_cast<uint32_t>(b >> 32) ^ counter.word[1] ^ key_a, static_cast<uint32_t>(b),
                static_cast<uint32_t>(a >> 32) ^ counter.word[3] ^ key_b, static_cast<uint32_t>(a)}};
    key_a += kWeylA;
    key_b += kWeylB;
  }
  return counter;
}

}  // namespace stitch
