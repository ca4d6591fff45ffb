// SPDX-License-Identifier: Apache-2.0
// Takes the seed in two halves, as generators of 32 bits do.
#include "own_numbers.h"

__device__ float own_number(uint64_t seed, uint64_t offset, uint64_t element) {
  const uint64_t lower = mixed((seed & 0xffffffffULL) + 1), upper = mixed((seed >> 32) + 2);
  return number(lower * 3 + upper + offset * 0x9e3779b97f4a7c15ULL, element);
}
