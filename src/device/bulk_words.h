// SPDX-License-Identifier: Apache-2.0
// One word's part in a digest, and one word of random bytes: the same on host and device, so that either can check the
// other. A region is read as 64-bit words from its first byte on, whatever its alignment.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define STITCH_EITHER_SIDE __host__ __device__ inline
#else
#define STITCH_EITHER_SIDE inline
#endif

namespace stitch::device {

constexpr uint64_t kGoldenRatio = 0x9e3779b97f4a7c15u;

// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
STITCH_EITHER_SIDE uint64_t random_word(uint64_t seed, uint64_t index) {
  uint64_t word = seed + (index + 1) * kGoldenRatio;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

// Of the elements of a mix: whether element `index` comes from the first of the two. 64 of them share a word.
STITCH_EITHER_SIDE bool takes_first(uint64_t seed, uint64_t index) {
  return ((random_word(seed, index / 64) >> (index % 64)) & 1) != 0;
}

STITCH_EITHER_SIDE uint64_t high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(a) * b) >> 64);
#endif
}

// Added up over all words: order does not matter to the sum, place does to the word's keys. Nobody outside knows them,
// so nobody can choose two words whose parts are equal.
STITCH_EITHER_SIDE uint64_t part_of_digest(uint64_t key, uint64_t index, uint64_t word) {
  const uint64_t mixed = word ^ random_word(key, 2 * index);
  const uint64_t factor = random_word(~key, 2 * index + 1) | 1;
  return (mixed * factor) ^ high_product(mixed, factor);
}

STITCH_EITHER_SIDE uint64_t digest_of_sum(uint64_t key, uint64_t sum, uint64_t bytes) {
  return random_word(key ^ sum, bytes);
}

// The word at byte `offset` (0 to 7) of two that follow each other in memory, of which `bytes` count (1 to 8).
STITCH_EITHER_SIDE uint64_t word_across(uint64_t first, uint64_t second, unsigned offset, uint64_t bytes) {
  const uint64_t word = offset == 0 ? first : (first >> (8 * offset)) | (second << (64 - 8 * offset));
  return bytes >= 8 ? word : word & ((uint64_t{1} << (8 * bytes)) - 1);
}

}  // namespace stitch::device
